package conflictretry

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// afterFailedRead finds updates that are sent although the read of the object
// before them has failed.
func (r *retry) afterFailedRead(w update) {
	reads := r.readsOf(w)
	if i := slices.IndexFunc(reads, func(read *paths.Node) bool { return r.leadsTo(read, w) }); i >= 0 {
		r.reportFailedRead(reads[i], w)
	}
}

// readsOf returns the reads in the function of the object that an update sends.
func (r *retry) readsOf(w update) []*paths.Node {
	var found []*paths.Node
	for _, e := range w.events {
		for _, s := range r.Sites {
			if s.Kind == objects.Refreshed && s.Via == nil && s.Place.Object == e.Place.Object && r.reads(s.Node) && !r.isNameless(s.Place.Object) {
				found = append(found, s.Node)
			}
		}
	}
	return found
}

// isNameless reports whether an object is one that the function makes for each attempt,
// and that only a read gives a name: without one a client sends no update. What a
// typed client answers with an error is such an object, too.
func (r *retry) isNameless(o paths.Object) bool {
	made, ok := o.Root.(*ssa.Alloc)
	if (!ok || made.Parent() != r.Fn) && (parentOf(o.Root) != r.Fn || o.Path != "" || !values.Always(r.Calls, o.Root, isBlank)) {
		return false
	}
	return !slices.ContainsFunc(r.Sites, func(s objects.Site) bool {
		if s.Kind == objects.Refreshed || s.Kind == objects.Written || s.Place.Object != o {
			return false
		}
		return len(s.Place.Sub) == 0 || slices.Contains(s.Place.Sub, "Name") || slices.Contains(s.Place.Sub, "ObjectMeta") && len(s.Place.Sub) == 1
	})
}

// isBlank reports whether a value is an object that its function makes and returns, and
// does nothing else with.
func isBlank(v ssa.Value) bool {
	made, ok := v.(*ssa.Alloc)
	return ok && !blocks.AnyUse(made, func(ref ssa.Instruction) bool {
		_, returned := ref.(*ssa.Return)
		return !returned
	})
}

// leadsTo reports whether an update is reached after a read has failed, without
// another read, and without the kind of the failure being asked for.
func (r *retry) leadsTo(read *paths.Node, w update) bool {
	asked, other, ignored := r.questions()
	assume := watch(asked, other, ignored)
	maps.Copy(assume, paths.ErrorIs(read, paths.True))
	_, found := r.Graph.Search(r.Graph.Answered(read), 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n == w.node {
			return stage, paths.Found
		}
		// Or it was thought of.
		if n == read || r.renews(n, w) || answered(known, other, paths.True) || answered(known, ignored, paths.False) {
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return found
}

// renews reports whether a node may give the object that an update sends
// another content: reads it, or assigns the variable.
func (r *retry) renews(n *paths.Node, w update) bool {
	return slices.ContainsFunc(r.At(n), func(e objects.Event) bool {
		switch e.Kind {
		case objects.Refreshed, objects.Reassigned, objects.HandedOff, objects.Written:
			return slices.ContainsFunc(w.events, func(sent objects.Event) bool { return r.MayBe(e.Place.Object, sent.Place.Object) })
		}
		return false
	})
}

func (r *retry) reportFailedRead(read *paths.Node, w update) {
	f := rule.Finding{
		Category: failedRead,
		Message: fmt.Sprintf("if %s on line %d fails, a stale or empty %s is written all the same; return the error of %[1]s",
			name(read), r.line(read.Instr.Pos()), kind(w.events[0])),
		Related: []analysis.RelatedInformation{
			{Pos: read.Instr.Pos(), Message: "it is read here"},
			{Pos: r.call.Pos(), Message: "the function is tried here"},
		},
	}
	// Its resourceVersion keeps what was read before from being written over newer content.
	if last := w.events[len(w.events)-1]; r.isOutside(last.Place.Object) && r.wasRead(last) {
		f.Harm = rule.Hygiene
		f.Message = fmt.Sprintf("if %s on line %d fails, an attempt is wasted on the %s that was read before, which conflicts again; return the error of %[1]s",
			name(read), r.line(read.Instr.Pos()), kind(w.events[0]))
	}
	r.tell(w.node, f)
}

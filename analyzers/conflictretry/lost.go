package conflictretry

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// Stages of the search for a change that is overwritten.
const (
	changed = iota
	failed  // sent, and refused
	again   // read again
)

// overwritten finds changes made before the retry that the function replaces by
// what it reads, and then writes. outer is the function around it, in whose
// graph the function stands.
func (r *retry) overwritten(outer *objects.Unit) {
	for _, set := range outer.Sites {
		if set.Kind != objects.Mutated || set.Empty || r.inside(set.Node) || !r.readAndSent(outer, set.Place.Object) {
			continue
		}
		endpoint := kubeapi.MainEndpoint
		if set.Place.Aspect() == kubeapi.Status {
			endpoint = kubeapi.StatusEndpoint
		}
		var read, write objects.Site
		assume := objects.Done(set.Node)
		readErrors := r.readErrors(outer)
		for _, err := range readErrors {
			assume[err] = paths.Unknown
		}
		_, found := outer.Graph.Search(set.Node, changed, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if stage == again && slices.ContainsFunc(readErrors, func(err ssa.Value) bool { return known.Of(err) == paths.True }) {
				return stage, paths.Prune // it could not be read
			}
			for _, e := range outer.At(n) {
				if e.Kind == objects.Copied || !r.MayBe(e.Place.Object, set.Place.Object) && (e.Kind != objects.HandedOff || !holds(e.Place.Object, set.Place.Object)) {
					continue
				}
				in := r.inside(n) && e.Place.Object == set.Place.Object
				switch {
				case e.Kind == objects.Refreshed && in && r.reads(n) && stage != again:
					read, stage = objects.Site{Event: e, Node: n}, again
				case e.Kind == objects.Written && in && e.Write.Verb == kubeapi.Update && stage == again && e.Write.Endpoint == endpoint:
					write = objects.Site{Event: e, Node: n}
					return stage, paths.Found
				case e.Kind == objects.Written && in && stage == changed && e.Write.Verb == kubeapi.Update && r.readsAfterFailureOnly(outer, n, e.Place.Object):
					stage = failed
				case e.Kind == objects.Mutated && stage == changed:
				default:
					return stage, paths.Prune
				}
			}
			return stage, paths.Continue
		})
		if found {
			r.reportLost(set, read, write)
			return
		}
	}
}

// readErrors returns the errors of the reads in the function.
func (r *retry) readErrors(outer *objects.Unit) []ssa.Value {
	var errs []ssa.Value
	for _, n := range outer.Graph.Nodes {
		if r.inside(n) && r.reads(n) {
			errs = append(errs, paths.Results(n, kubeapi.IsError)...)
		}
	}
	return errs
}

// inside reports whether a node belongs to the function that is tried.
func (r *retry) inside(n *paths.Node) bool {
	for frame := n.Frame; frame != nil; frame = frame.Parent {
		if frame.Fn == r.Fn && frame.Call == ssa.CallInstruction(r.call) {
			return true
		}
	}
	return false
}

// readAndSent reports whether the function reads and updates the object at all.
func (r *retry) readAndSent(outer *objects.Unit, o paths.Object) bool {
	read, sent := false, false
	for _, s := range outer.Sites {
		if s.Place.Object == o && r.inside(s.Node) {
			read = read || s.Kind == objects.Refreshed && r.reads(s.Node)
			sent = sent || s.Kind == objects.Written && s.Write.Verb == kubeapi.Update
		}
	}
	return read && sent
}

// readsAfterFailureOnly reports whether, once an update has succeeded, the
// function does not read the object again.
func (r *retry) readsAfterFailureOnly(outer *objects.Unit, at *paths.Node, o paths.Object) bool {
	succeeded := make(map[ssa.Value]paths.Truth)
	for _, err := range paths.Results(at, kubeapi.IsError) {
		succeeded[err] = paths.False
	}
	if len(succeeded) == 0 {
		return false
	}
	start := outer.Graph.Answered(at)
	asked, other := (&retry{checker: r.checker, Unit: outer}).questions()
	for call := range asked {
		succeeded[call] = paths.Unknown
	}
	for call := range other {
		succeeded[call] = paths.Unknown
	}
	_, found := outer.Graph.Search(start, 0, succeeded, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if !r.inside(n) || n == at {
			return stage, paths.Prune
		}
		if _, ok := n.Instr.(*ssa.Return); ok {
			return stage, paths.Prune // the next attempt
		}
		for call := range asked {
			if known.Of(call) == paths.True {
				return stage, paths.Prune // a failure
			}
		}
		for call := range other {
			if known.Of(call) == paths.True {
				return stage, paths.Prune
			}
		}
		if r.reads(n) {
			for _, e := range outer.At(n) {
				if e.Kind == objects.Refreshed && e.Place.Object == o {
					return stage, paths.Found
				}
			}
		}
		return stage, paths.Continue
	})
	return !found
}

func (r *retry) reportLost(set, read, write objects.Site) {
	pos, end := r.span(read.Node)
	r.report.Report(rule.Finding{
		Pos: pos, End: end, Category: lostMutation,
		Message: fmt.Sprintf("the change to %s on line %d is lost: %s overwrites it before line %d writes it; make the change inside the function, after %s",
			kind(set.Event), r.line(set.Node.Instr.Pos()), name(read.Node), r.line(write.Node.Instr.Pos()), name(read.Node)),
		Related: []analysis.RelatedInformation{
			{Pos: set.Node.Instr.Pos(), Message: "it is changed here"},
			{Pos: write.Node.Instr.Pos(), Message: "what was read is written back here"},
		},
	})
}

// unlocked finds functions that only send merge patches without a lock.
func (r *retry) unlocked() {
	for _, n := range r.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil {
			continue
		}
		arg := kubeapi.PatchArgument(call.Common())
		if arg == nil {
			continue
		}
		made, ok := arg.(*ssa.Call)
		if !ok {
			continue
		}
		if spec, ok := kubeapi.PatchMadeBy(made.Common()); !ok || spec.Kind != kubeapi.MergePatch || spec.Locked || spec.From == nil {
			continue
		}
		pos, end := r.span(n)
		r.report.Report(rule.Finding{
			Pos: pos, End: end, Category: cannotFire, Harm: rule.Hygiene,
			Message: fmt.Sprintf("%s never retries: a merge patch without a lock does not conflict; use client.MergeFromWithOptimisticLock, or drop the retry", r.retrier()),
			Related: []analysis.RelatedInformation{{Pos: r.call.Pos(), Message: "the function is tried here"}},
		})
	}
}

// Package events finds handlers of events that add rate limited, or do the workers' work past the queue.
package events

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// checker is what this package asks about.
type checker struct{ *subject.Checker }

// limited is an instruction that adds rate limited in the ordinary course of
// events.
type limited struct {
	call   ssa.CallInstruction
	helper *types.Func // that does so, in another package, at place
	place  string
}

// Report finds where event handlers add rate limited.
func Report(in *subject.Checker) {
	c := &checker{in}
	c.handedOver()
	found := make(map[*ssa.Function][]limited)
	for _, fn := range c.Graph.Funcs {
		if subject.InQueue(fn) {
			continue
		}
		for instr := range blocks.Instrs(fn) {
			if l, ok := c.rateLimitedAt(instr); ok {
				found[fn] = append(found[fn], l)
			}
		}
	}
	if len(found) == 0 || c.oneObject() {
		return
	}
	var groups []*delaying
	known := make(map[any]*delaying)
	for _, entry := range c.Entries.Entries {
		if entry.Kind != kubeapi.EventHandler || isGeneric(entry.Role) {
			continue
		}
		c.Entries.Walk(entry, c.Ordinary, func(path *entrypoints.Path) {
			for _, l := range found[path.Fn] {
				key := c.cause(path, l)
				group := known[key]
				if group == nil {
					group = new(delaying)
					known[key] = group
					groups = append(groups, group)
				}
				if !slices.ContainsFunc(group.places, func(at delayedAt) bool { return at.call == l.call }) {
					group.places = append(group.places, delayedAt{l, path})
				}
			}
		})
	}
	for _, group := range groups {
		c.reportEvents(group)
	}
}

// delaying are the places where one controller adds events rate limited, in the
// order of the source: one decision, and one finding.
type delaying struct{ places []delayedAt }

type delayedAt struct {
	limited
	path *entrypoints.Path
}

// cause is what the places have in common that one change of mind mends: the
// queue of a controller, or the type whose methods are the handlers.
func (c *checker) cause(path *entrypoints.Path, l limited) any {
	for _, op := range slices.Backward(c.Queues.At(l.call)) {
		if field := c.Queues.FieldOf(op.Queue); field != nil {
			return field
		}
	}
	if l.helper != nil {
		return l.helper
	}
	if recv := path.Entry.Fn.Signature.Recv(); recv != nil && kubeapi.Named(recv.Type()) != nil {
		return kubeapi.Named(recv.Type()).Origin()
	}
	return paths.Outermost(path.Entry.Fn)
}

// handedOver finds methods that add rate limited and are event handlers
// themselves.
func (c *checker) handedOver() {
	for _, h := range c.Entries.Handed {
		if h.Kind != kubeapi.EventHandler || isGeneric(h.Role) {
			continue
		}
		what := "AddRateLimited"
		switch uses := c.Queues.Of(h.Func); {
		case kubeapi.QueueVerbOf(h.Func) == kubeapi.QueueAddRateLimited:
			if h.Recv == nil || !c.Queues.BacksOff(h.Recv) {
				continue
			}
		case uses != nil && uses.RateLimited != "":
			what = fmt.Sprintf("%s (AddRateLimited, %s)", h.Func.Name(), uses.RateLimited)
		default:
			continue
		}
		pos, end := syntax.Span(c.Pass.Files, h.At)
		c.Report.Report(rule.Finding{
			Pos: pos, End: end, Category: subject.RateLimitedEvents,
			Message: delayed(what, "use Add"),
		})
	}
}

// delayed words what becomes of events that are added rate limited.
func delayed(what, remedy string) string {
	return fmt.Sprintf("objects that change often wait up to minutes: %s counts events as failures; %s", what, remedy)
}

// oneObject reports whether the package's predicates let the creation and
// updates of one object pass, which they know by its name: a handful of events,
// which no limiter delays.
func (c *checker) oneObject() bool {
	byName := false
	for _, entry := range c.Entries.Entries {
		if entry.Kind != kubeapi.Predicate {
			continue
		}
		switch entry.What {
		case "Create", "CreateFunc", "Update", "UpdateFunc":
			if !asksForName(entry.Fn) {
				return false
			}
			byName = true
		}
	}
	return byName
}

// asksForName reports whether all that a function does is to compare an
// object's name.
func asksForName(fn *ssa.Function) bool {
	if len(fn.Blocks) != 1 {
		return false
	}
	ret, ok := blocks.Last(fn.Blocks[0]).(*ssa.Return)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	cmp, ok := ret.Results[0].(*ssa.BinOp)
	return ok && cmp.Op == token.EQL && (isName(cmp.X) || isName(cmp.Y))
}

// isName reports whether a value is what GetName returns.
func isName(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	return ok && entrypoints.CalleeName(call) == "GetName" && kubeapi.Callee(call.Common()) != nil
}

// isGeneric reports whether a handler is for events that no watch has: they come
// from channels, which few controllers have, so that most such functions are
// there for the interface only.
func isGeneric(role kubeapi.Role) bool { return role.What == "Generic" || role.What == "GenericFunc" }

func (c *checker) rateLimitedAt(instr ssa.Instruction) (limited, bool) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return limited{}, false
	}
	for _, op := range c.Queues.At(instr) {
		byOptions := op.Verb == kubeapi.QueueAddOther && op.Helper == nil && kubeapi.AsksRateLimited(call.Common())
		if (op.Verb == kubeapi.QueueAddRateLimited || byOptions) && c.Queues.BacksOff(op.Queue) {
			return limited{call, op.Helper, op.Place}, queues.Ordinary(instr)
		}
	}
	// A helper of another package that adds to a queue of its own.
	if callee := kubeapi.Callee(call.Common()); callee != nil && callee.Pkg() != c.Pass.Pkg {
		if uses := c.Queues.Of(callee); uses != nil && uses.RateLimited != "" {
			return limited{call, callee, uses.RateLimited}, queues.Ordinary(instr)
		}
	}
	return limited{}, false
}

func (c *checker) reportEvents(group *delaying) {
	slices.SortFunc(group.places, func(a, b delayedAt) int { return syntax.ComparePos(c.Pass.Fset, a.call.Pos(), b.call.Pos()) })
	// One that says nothing of others stands for them, if there is one.
	first := max(0, slices.IndexFunc(group.places, func(at delayedAt) bool { return at.helper == nil }))
	at := group.places[first]
	pos, end := syntax.Span(c.Pass.Files, at.call)
	what := c.Called(at.call)
	if at.helper != nil {
		what = fmt.Sprintf("%s (AddRateLimited, %s)", entrypoints.CalleeName(at.call), at.place)
	}
	if n := len(group.places); n > 1 {
		what += fmt.Sprintf(" (%d places)", n)
	}
	remedy := "use Add"
	if at.byOptions() {
		remedy = "leave RateLimited out"
	}
	related := at.path.Related()
	for _, other := range group.places {
		if other.call != at.call {
			related = append(related, analysis.RelatedInformation{Pos: other.call.Pos(), Message: "and here, for " + other.path.Entry.Name()})
		}
	}
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.RateLimitedEvents,
		Message: delayed(what, remedy),
		Related: related,
		Fix:     c.eventsFix(group, at),
	})
}

// byOptions reports whether options ask for the rate limiter.
func (l limited) byOptions() bool {
	return l.helper == nil && kubeapi.QueueVerbOf(kubeapi.Callee(l.call.Common())) == kubeapi.QueueAddOther
}

// eventsFix has all places of one file that stand in handlers themselves call
// Add: a function that others call as well may be meant for failures. It is no
// fix if some would remain.
func (c *checker) eventsFix(group *delaying, first delayedAt) *analysis.SuggestedFix {
	fix := &analysis.SuggestedFix{Message: "Use Add"}
	file := c.Pass.Fset.File(first.call.Pos())
	for _, at := range group.places {
		pos, end := syntax.Span(c.Pass.Files, at.call)
		if at.helper != nil || !end.IsValid() || at.path.Prev != nil || at.byOptions() || c.Pass.Fset.File(pos) != file {
			return nil
		}
		fix.TextEdits = append(fix.TextEdits, analysis.TextEdit{Pos: pos, End: end, NewText: []byte("Add")})
	}
	return fix
}

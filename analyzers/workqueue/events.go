package workqueue

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/queues"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
)

// limited is an instruction that adds rate limited in the ordinary course of
// events.
type limited struct {
	call   ssa.CallInstruction
	helper *types.Func // that does so, in another package, at place
	place  string
}

// rateLimited finds where event handlers add rate limited.
func (c *checker) rateLimited() {
	c.handedOver()
	found := make(map[*ssa.Function][]limited)
	for _, fn := range c.graph.Funcs {
		if inQueue(fn) {
			continue
		}
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if l, ok := c.rateLimitedAt(instr); ok {
					found[fn] = append(found[fn], l)
				}
			}
		}
	}
	if len(found) == 0 || c.oneObject() {
		return
	}
	for _, entry := range c.entries.Entries {
		if entry.Kind != kubeapi.EventHandler || isGeneric(entry.Role) {
			continue
		}
		c.entries.Walk(entry, c.ordinary, func(path *entrypoint.Path) {
			for _, l := range found[path.Fn] {
				c.reportEvents(path, l)
			}
		})
	}
}

// handedOver finds methods that add rate limited and are event handlers
// themselves.
func (c *checker) handedOver() {
	for _, h := range c.entries.Handed {
		if h.Kind != kubeapi.EventHandler || isGeneric(h.Role) {
			continue
		}
		what := "AddRateLimited"
		switch uses := c.queues.Of(h.Func); {
		case kubeapi.QueueVerbOf(h.Func) == kubeapi.QueueAddRateLimited:
			if h.Recv == nil || !c.queues.BacksOff(h.Recv) {
				continue
			}
		case uses != nil && uses.RateLimited != "":
			what = fmt.Sprintf("%s (AddRateLimited, %s)", h.Func.Name(), uses.RateLimited)
		default:
			continue
		}
		pos, end := source.Span(c.pass.Files, h.At)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Category: rateLimitedEvents,
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
	for _, entry := range c.entries.Entries {
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
	ret, ok := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	cmp, ok := ret.Results[0].(*ssa.BinOp)
	if !ok || cmp.Op != token.EQL {
		return false
	}
	for _, side := range []ssa.Value{cmp.X, cmp.Y} {
		if call, ok := side.(*ssa.Call); ok {
			if callee := kubeapi.Callee(call.Common()); callee != nil && callee.Name() == "GetName" {
				return true
			}
		}
	}
	return false
}

// isGeneric reports whether a handler is for events that no watch has: they come
// from channels, which few controllers have, so that most such functions are
// there for the interface only.
func isGeneric(role kubeapi.Role) bool { return role.What == "Generic" || role.What == "GenericFunc" }

// ordinary reports whether an edge leads on with the event itself: not because
// of a failure, and not into a worker or what workers call.
func (c *checker) ordinary(_ *entrypoint.Path, edge *entrypoint.Edge) bool {
	if edge.How == entrypoint.Started || !queues.Ordinary(edge.Site) {
		return false
	}
	for _, entry := range c.entries.Of(edge.Callee) {
		if entry.Kind.PerItem() {
			return false
		}
	}
	return true
}

func (c *checker) rateLimitedAt(instr ssa.Instruction) (limited, bool) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return limited{}, false
	}
	for _, op := range c.queues.At(instr) {
		byOptions := op.Verb == kubeapi.QueueAddOther && op.Helper == nil && kubeapi.AsksRateLimited(call.Common())
		if (op.Verb == kubeapi.QueueAddRateLimited || byOptions) && c.queues.BacksOff(op.Queue) {
			return limited{call, op.Helper, op.Place}, queues.Ordinary(instr)
		}
	}
	// A helper of another package that adds to a queue of its own.
	if callee := kubeapi.Callee(call.Common()); callee != nil && callee.Pkg() != c.pass.Pkg {
		if uses := c.queues.Of(callee); uses != nil && uses.RateLimited != "" {
			return limited{call, callee, uses.RateLimited}, queues.Ordinary(instr)
		}
	}
	return limited{}, false
}

func (c *checker) reportEvents(path *entrypoint.Path, l limited) {
	pos, end := source.Span(c.pass.Files, l.call)
	what := c.called(l.call)
	if l.helper != nil {
		what = fmt.Sprintf("%s (AddRateLimited, %s)", entrypoint.CalleeName(l.call), l.place)
	}
	remedy := "use Add"
	byOptions := l.helper == nil && kubeapi.QueueVerbOf(kubeapi.Callee(l.call.Common())) == kubeapi.QueueAddOther
	if byOptions {
		remedy = "leave RateLimited out"
	}
	var fix *analysis.SuggestedFix
	// A function that others call as well may be meant for failures.
	if l.helper == nil && end.IsValid() && path.Prev == nil && !byOptions {
		fix = &analysis.SuggestedFix{
			Message:   "Use Add",
			TextEdits: []analysis.TextEdit{{Pos: pos, End: end, NewText: []byte("Add")}},
		}
	}
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: rateLimitedEvents,
		Message: delayed(what, remedy),
		Related: path.Related(),
		Fix:     fix,
	})
}

package nestedtimeout

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/attempts"
	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/held"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
)

// late is a use of a context that has ended.
type late struct {
	use deadlines.Use
	end deadlines.End
	// maybe tells that it has ended on some of the paths only.
	maybe bool
	// reversed tells that both the use and the cancel are deferred, which run last first.
	reversed bool
	// again tells that an attempt has ended it for those that follow.
	again bool
}

// ended reports what is done with contexts that are known to have ended.
func (c *checker) ended(fn *ssa.Function) {
	g := c.info.Graphs.Of(fn)
	var found []late
	for _, id := range c.info.EndsIn(g) {
		found = append(found, c.usesAfterEnd(g, id)...)
	}
	found = append(found, c.usesAfterCancel(g)...)
	for _, s := range attempts.In(c.info, c.calls, g) {
		found = append(found, late{use: s.Use, end: s.End, again: true})
	}
	slices.SortStableFunc(found, func(a, b late) int { return cmp.Compare(a.use.Call.Pos(), b.use.Call.Pos()) })
	// What follows the first use has the same cause.
	reported := make(map[deadlines.End]bool)
	for _, l := range found {
		key := deadlines.End{ID: l.end.ID, Pos: l.end.Pos}
		if !reported[key] {
			reported[key] = true
			c.reportLate(l)
		}
	}
}

// usesAfterEnd finds the uses of a context at places where it has ended
// whichever way leads there.
func (c *checker) usesAfterEnd(g *paths.Graph, id deadlines.ID) []late {
	ended := c.info.EndedAt(g, id)
	if ended == nil {
		return nil
	}
	var found []late
	for _, n := range g.Nodes {
		end := ended.Before(n)
		maybe := end == nil && c.report.Strict()
		if maybe {
			end = ended.Maybe(n)
		}
		if end == nil {
			continue
		}
		if use, ok := c.info.UseOf(n); ok && c.info.Covers(use.Ctx, id) {
			found = append(found, late{use: use, end: *end, maybe: maybe, reversed: c.isReversed(g, n, *end)})
		}
	}
	return found
}

// usesAfterCancel finds the uses of a context after it was cancelled: to call
// the function that cancels it is to say that it is not used any more.
func (c *checker) usesAfterCancel(g *paths.Graph) []late {
	var found []late
	for _, start := range g.Nodes {
		for _, end := range c.info.EndsAt(g, start) {
			if end.How == deadlines.Waited || !end.Sure {
				continue
			}
			var use deadlines.Use
			path, ok := g.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
				if c.info.Renews(n, end.ID) || c.info.Checks(n, end.ID) || runsAgain(start, n) {
					return stage, paths.Prune
				}
				if at, ok := c.info.UseOf(n); ok && held.Covers(c.info, g, n, at.Ctx, end.ID) {
					use = at
					return stage, paths.Found
				}
				return stage, paths.Continue
			})
			if ok {
				found = append(found, late{use: use, end: end, reversed: c.isReversed(g, path[len(path)-1], end)})
			}
		}
	}
	return found
}

// isReversed reports whether both the use and the cancel are deferred, the cancel later.
func (c *checker) isReversed(g *paths.Graph, use *paths.Node, end deadlines.End) bool {
	by := deferredBy(use)
	return by != nil && end.How == deadlines.Cancelled && slices.ContainsFunc(g.Nodes, func(n *paths.Node) bool {
		cancel := deferredBy(n)
		return cancel != nil && cancel != by && slices.Contains(c.info.EndsAt(g, n), end)
	})
}

// deferredBy returns where the call was deferred by which a node runs, or nil.
func deferredBy(n *paths.Node) *ssa.Defer {
	var by *ssa.Defer
	if n.Deferred {
		by, _ = n.Instr.(*ssa.Defer)
	}
	for frame := n.Frame; frame != nil; frame = frame.Parent {
		if outer, ok := frame.Call.(*ssa.Defer); ok {
			by = outer
		}
	}
	return by
}

// runsAgain reports whether n begins another round of the callback in which
// start stands, or of one around it: a callback that cancels the context does
// so, as a rule, to be the last.
func runsAgain(start, n *paths.Node) bool {
	for frame := start.Frame; frame != nil && frame.Parent != nil; frame = frame.Parent {
		if n.Frame == frame && n.Instr == frame.Fn.Blocks[0].Instrs[0] {
			return true
		}
	}
	return false
}

func (c *checker) reportLate(l late) {
	pos, end := c.span(l.use.Call)
	name := c.name(l.use.Call)
	since := c.since(l)
	callee := c.callee(l.use.Call)
	fails := "fails at once"
	if l.use.Shuts {
		fails = "waits for no request"
	}
	what := callee
	if l.use.Where != "" {
		what = fmt.Sprintf("%s in %s", l.use.What, callee)
	}
	var message string
	switch {
	case l.maybe:
		message = fmt.Sprintf("%s may fail at once: %s may have ended (%s); pass %s with a timeout of its own", callee, name, since, c.uncancelled(name))
	case l.use.Derives:
		own := "this timeout"
		if call, ok := l.use.Call.(*ssa.Call); ok {
			if t, ok := c.info.TimeoutAt(call); ok {
				own = "the timeout of " + c.duration(call, t.After, t.Known)
			}
		}
		message = fmt.Sprintf("%s is over before it begins: %s has ended (%s); derive it from %s", own, name, since, c.uncancelled(name))
	case l.again:
		message = fmt.Sprintf("%s fails at once from the second attempt on: each attempt cancels %s (%s), which is made outside; make it within the attempt",
			what, name, c.at(l.end.Pos, l.use.Call.Pos()))
	case l.reversed:
		message = fmt.Sprintf("%s %s: the cancel of %s is deferred later (%s), and so runs first; pass %s with a timeout of its own",
			what, fails, name, c.at(l.end.Pos, l.use.Call.Pos()), c.uncancelled(name))
	case l.use.Where != "":
		message = fmt.Sprintf("%s in %s (%s) %s: %s has ended (%s); pass %s with a timeout", l.use.What, callee, l.use.Where, fails, name, since, c.uncancelled(name))
	case l.end.How == deadlines.Closed:
		message = fmt.Sprintf("%s gets a context that has ended and does nothing: %s was cancelled by the Close on %s; give it one of its own", callee, name, c.at(l.end.Pos, l.use.Call.Pos()))
	default:
		message = fmt.Sprintf("%s %s: %s has ended (%s); pass %s with a timeout of its own", callee, fails, name, since, c.uncancelled(name))
	}
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: alreadyDone, Harm: l.harm(), Message: message,
		Related: []analysis.RelatedInformation{{Pos: l.end.Pos, Message: "the context has ended here"}},
		Fix:     c.withoutCancel(l),
		Given:   l.given(),
	})
}

// given is where the function begins whose caller must be able to end the context that is waited
// for: one that never ends is not waited for to the end.
func (l late) given() token.Pos {
	if p, ok := l.end.ID.(*ssa.Parameter); ok && l.end.How == deadlines.Waited {
		return p.Parent().Pos()
	}
	return token.NoPos
}

// harm is little where a server of HTTP is shut down: it has closed its listeners by then, and
// answers all the same if no request is under way. So it is for a timeout that is cancelled first.
func (l late) harm() rule.Harm {
	if l.use.Shuts || l.use.Derives && isCancelledUnused(l.use.Call) {
		return rule.Hygiene
	}
	return rule.Loss
}

// isCancelledUnused reports whether a derived context is cancelled before anything uses it: one that
// is derived otherwise would have ended as well.
func isCancelledUnused(derived ssa.CallInstruction) bool {
	call, ok := derived.(*ssa.Call)
	if !ok {
		return false
	}
	var cancels, uses []ssa.Instruction
	for part := range blocks.UsesOf[*ssa.Extract](call) {
		for use := range blocks.Uses(part) {
			if cancel, ok := use.(*ssa.Call); ok && cancel.Call.Value == part {
				cancels = append(cancels, cancel)
			} else if kubeapi.IsContext(part.Type()) {
				uses = append(uses, use)
			}
		}
	}
	return slices.ContainsFunc(cancels, func(cancel ssa.Instruction) bool {
		return !slices.ContainsFunc(uses, func(use ssa.Instruction) bool { return !blocks.Precedes(cancel, use) })
	})
}

// withoutCancelSince is the version of Go that has context.WithoutCancel first.
const withoutCancelSince = "go1.21"

// uncancelled writes a context that nothing cancels, for one of a name. What that carries is lost where
// the language has no other way than to make one up.
func (c *checker) uncancelled(name string) string {
	if edit.IsBefore(c.pass, withoutCancelSince) {
		return "context.Background()"
	}
	if name == "the context" {
		name = "ctx"
	}
	return "context.WithoutCancel(" + name + ")"
}

// since says what has ended the context.
func (c *checker) since(l late) string {
	at := c.at(l.end.Pos, l.use.Call.Pos())
	switch l.end.How {
	case deadlines.Cancelled:
		return "cancelled on " + at
	case deadlines.Closed:
		return "closed on " + at
	case deadlines.Joined:
		return "by the group's Wait on " + at
	}
	return "waited for on " + at
}

// withoutCancel derives the timeout from a context that nothing cancels.
func (c *checker) withoutCancel(l late) *analysis.SuggestedFix {
	if !l.use.Derives || l.maybe || !edit.IsSince(c.pass, withoutCancelSince) {
		return nil
	}
	call, ctx := c.call(l.use.Call), c.context(l.use.Call)
	if call == nil || ctx == nil {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	qualifier, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	pkg, ok := c.pass.TypesInfo.Uses[qualifier].(*types.PkgName)
	if !ok || pkg.Imported().Path() != "context" {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Derive the timeout from context.WithoutCancel",
		TextEdits: []analysis.TextEdit{
			{Pos: ctx.Pos(), End: ctx.Pos(), NewText: []byte(qualifier.Name + ".WithoutCancel(")},
			{Pos: ctx.End(), End: ctx.End(), NewText: []byte(")")},
		},
	}
}

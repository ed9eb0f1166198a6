package nestedtimeout

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// bounds returns the timeout that ends first in each possibility of a context,
// the longest of these; nil if there is a possibility without.
func (c *checker) bounds(ctx ssa.Value) *deadlines.Link {
	var longest *deadlines.Link
	for _, l := range c.info.Lineages(ctx) {
		link := l.Tightest()
		if link == nil {
			return nil
		}
		if longest == nil || link.After > longest.After {
			longest = link
		}
	}
	return longest
}

// sameLimit returns a timeout of the context that has the same duration as t,
// although it is not known which; nil if there is none for sure.
func (c *checker) sameLimit(t deadlines.Timeout) *deadlines.Link {
	if t.Limit == nil {
		return nil
	}
	lineages := c.info.Lineages(t.Parent)
	if len(lineages) != 1 {
		return nil
	}
	for n := range lineages[0].Links {
		link := &lineages[0].Links[n]
		if link.Kind == contexts.Timeout && !link.Known && link.Limit != nil && values.Equal(link.Limit, t.Limit, isNotStored) {
			return link
		}
	}
	return nil
}

// isNotStored reports whether a function stores nothing into a field that it reads.
func isNotStored(addr ssa.Value) bool {
	field := calls.FieldAt(addr)
	if field == nil {
		return true
	}
	for instr := range blocks.Instrs(addr.Parent()) {
		if store, ok := instr.(*ssa.Store); ok && calls.FieldAt(store.Addr) == field {
			return false
		}
	}
	return true
}

// nestedIn reports a timeout on a context that has one.
func (c *checker) nestedIn(t deadlines.Timeout) bool {
	link := c.bounds(t.Parent)
	equal := false
	if link == nil || !t.Known || link.After > t.After {
		same := c.sameLimit(t)
		if same == nil {
			c.nested(t)
			return false
		}
		link, equal = same, true
	}
	if (equal || link.After == t.After) && !c.work.After(link.Call, t.Call) {
		c.nested(t) // set at the same time, it is what it says
		return false
	}
	if c.sameVariable(link.Call, t.Call) && c.usedBesides(link.Call, t.Call) {
		c.reportShrinkingStep(t, link)
		return true
	}
	pos, end := c.span(t.Call)
	own := c.duration(t.Call, t.After, t.Known)
	than := "ends after " + c.duration(link.Call, link.After, link.Known)
	if equal {
		than = "has the same one"
	}
	var harm rule.Harm
	if equal || link.After == t.After {
		harm = rule.Hygiene // as long as it says, but for what was done before
	}
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: neverFires, Harm: harm,
		Message: fmt.Sprintf("the timeout of %s never fires: %s %s already (%s); make it shorter, or derive it from a context without that deadline",
			own, c.name(t.Call), than, c.at(link.Call.Pos(), pos)),
		Related: []analysis.RelatedInformation{{Pos: link.Call.Pos(), Message: "the timeout that ends first"}},
	})
	return true
}

// nested reports, if asked for, any timeout on a context that may have one.
func (c *checker) nested(t deadlines.Timeout) {
	if !c.report.Strict() {
		return
	}
	for _, l := range c.info.Lineages(t.Parent) {
		link := l.Timeout()
		if link == nil || link.Call == t.Call {
			continue
		}
		pos, end := c.span(t.Call)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Category: nested,
			Message: fmt.Sprintf("%s has a timeout already (%s): this one counts only if it ends earlier; say which of the two is meant",
				c.name(t.Call), c.at(link.Call.Pos(), pos)),
		})
		return
	}
}

// throughCall reports a call of a function that gives its context a timeout
// which the context that it gets makes pointless.
func (c *checker) throughCall(call *ssa.Call) {
	b := c.info.Of(call)
	if b == nil {
		return
	}
	operands := kubeapi.Operands(call.Common())
	for _, given := range b.Timeouts {
		if given.Param >= len(operands) {
			continue
		}
		link := c.bounds(operands[given.Param])
		if link == nil || link.After >= given.After || !c.allCallersBound(call, given) {
			continue
		}
		pos, end := c.span(call)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Category: neverFires,
			Message: fmt.Sprintf("the timeout of %s in %s (%s) never fires: %s ends after %s (%s); give this call more time, or the function less",
				wording.Duration(given.After), c.callee(call), given.Where, c.name(call), wording.Duration(link.After), c.at(link.Call.Pos(), pos)),
			Related: []analysis.RelatedInformation{{Pos: link.Call.Pos(), Message: "the timeout that ends first"}},
		})
		return
	}
}

// allCallersBound reports whether all callers of a function hand in a context
// that ends before the timeout that the function sets: if not, the timeout is
// there for the others. Functions that other packages can call count with the
// strict flag only.
func (c *checker) allCallersBound(call *ssa.Call, given deadlines.Given) bool {
	targets := c.calls.Callees(call)
	if !c.report.Strict() && (!targets.Closed || !slices.ContainsFunc(targets.Funcs, isPrivate)) {
		return false
	}
	for _, fn := range targets.Funcs {
		for _, other := range c.calls.Callers(fn) {
			operands := kubeapi.Operands(other.Common())
			if given.Param >= len(operands) {
				return false
			}
			if link := c.bounds(operands[given.Param]); link == nil || link.After > given.After {
				return false
			}
		}
	}
	return true
}

// isPrivate reports whether only its package can call a function.
func isPrivate(fn *ssa.Function) bool {
	return fn.Parent() != nil || fn.Object() != nil && !fn.Object().Exported()
}

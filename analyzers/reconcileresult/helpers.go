package reconcileresult

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/reconcileresult/internal/failures"
	"github.com/opvet/opvet/analyzers/reconcileresult/internal/results"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// helpers finds failures that the functions which Reconcile leads to answer
// with success, here and in other packages.
func (c *checker) helpers() {
	elsewhere := make(map[string]bool)
	for _, fn := range c.Calls.Funcs {
		if !c.failures.Reached(fn) {
			continue
		}
		_, answers := c.answers[fn]
		for _, s := range c.failures.Silences(fn) {
			switch {
			case answers && s.Asked == nil && !s.Step && !s.Logged: // [unit.swallows] tells
			case s.Tells && c.comesBack(fn, s), answers && s.Asked != nil && c.requeues(fn, s), c.polls(s.Call, 0):
			default:
				c.reportSilence(s)
			}
		}
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			for _, place := range c.failures.Elsewhere(call) {
				if !elsewhere[place] && !c.comesBackAnyhow(fn) && !c.polls(call, 0) {
					elsewhere[place] = true
					c.reportElsewhere(call, place)
				}
			}
		}
	}
}

// comesBack reports whether a caller may try again because of the other results
// of a function that has failed, such as a false for "not done yet".
func (c *checker) comesBack(fn *ssa.Function, s failures.Silence) bool {
	callers := c.Calls.Callers(fn)
	return len(callers) == 0 || slices.ContainsFunc(callers, func(site ssa.CallInstruction) bool {
		call, ok := site.(*ssa.Call)
		return !ok || c.maySee(call, s.Told)
	})
}

// requeues reports whether a Reconcile that forgets a failure asks there to be run again.
func (c *checker) requeues(fn *ssa.Function, s failures.Silence) bool {
	again := false
	c.returnsAfter(fn, s.Call, func(ret *ssa.Return, asks paths.Label, _ paths.Truth) {
		again = again || ret == s.Ret && asks != results.Empty
	})
	return again
}

// returnsAfter goes through the ways from a call to where a Reconcile returns: what the Result
// asks for, and whether there is an error.
func (c *checker) returnsAfter(fn *ssa.Function, call ssa.CallInstruction, visit func(ret *ssa.Return, asks paths.Label, err paths.Truth)) {
	u, carrier := c.Unit(fn), c.results.Carrier()
	for _, n := range u.Graph.At(call) {
		u.Graph.Search(n, 0, nil, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			held := carrier.Step(at, known, paths.Held(stage))
			ret, ok := at.Instr.(*ssa.Return)
			if !ok || !u.Graph.IsExit(at) {
				return int(held), paths.Continue
			}
			asks := carrier.Of(held, ret.Results[0])
			if carrier.Lost() {
				asks = results.Unsure
			}
			visit(ret, asks, u.Graph.Outcome(at, known))
			return stage, paths.Prune
		})
	}
}

// comesBackAnyhow reports whether a caller may try again because of other results of a function
// than its error, whatever they are.
func (c *checker) comesBackAnyhow(fn *ssa.Function) bool {
	_, answers := c.answers[fn]
	n := fn.Signature.Results().Len() - 1
	return !answers && n > 0 && c.comesBack(fn, failures.Silence{Told: make([]paths.Truth, n)})
}

// polls reports whether each Reconcile that gets to a call asks to be run again wherever it
// succeeds after that: what has failed is tried again then.
func (c *checker) polls(call ssa.CallInstruction, depth int) bool {
	fn := paths.Outermost(call.Parent())
	if _, answers := c.answers[fn]; answers {
		return c.alwaysAgain(fn, call)
	}
	callers := c.Calls.Callers(fn)
	return len(callers) > 0 && depth < maxPolls && !slices.ContainsFunc(callers, func(caller ssa.CallInstruction) bool { return !c.polls(caller, depth+1) })
}

// maxPolls bounds how far callers are followed.
const maxPolls = 3

// alwaysAgain reports whether a Reconcile asks to be run again wherever it succeeds after a call,
// when somebody configures or computes included.
func (c *checker) alwaysAgain(fn *ssa.Function, call ssa.CallInstruction) bool {
	some, all := false, true
	c.returnsAfter(fn, call, func(_ *ssa.Return, asks paths.Label, err paths.Truth) {
		if err != paths.True {
			some, all = true, all && (asks == results.Requeues || asks == results.Meant)
		}
	})
	return some && all
}

// maySee reports whether a call that returns these results, and no error, leads
// to a return that asks for a requeue, fails, or hands the results on.
func (c *checker) maySee(call *ssa.Call, told []paths.Truth) bool {
	u := c.Unit(paths.Outermost(call.Parent()))
	assume := make(map[ssa.Value]paths.Truth)
	for _, ref := range *call.Referrers() {
		extract, ok := ref.(*ssa.Extract)
		switch {
		case !ok:
			return true // return ensure(ctx)
		case extract.Index < len(told):
			assume[extract] = told[extract.Index].WhenComputed()
		default:
			assume[extract] = paths.False.WhenComputed()
		}
	}
	carrier := c.results.Carrier()
	return slices.ContainsFunc(u.Graph.At(call), func(n *paths.Node) bool {
		_, again := u.Graph.Search(n, 0, assume, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			held := carrier.Step(at, known, paths.Held(stage))
			if carrier.Lost() {
				return stage, paths.Found
			}
			if next, ok := at.Instr.(*ssa.Call); ok && at.Joins == nil && len(paths.Results(at, kubeapi.IsError)) > 0 && !kubeapi.MakesError(kubeapi.Callee(next.Common())) {
				return stage, paths.Prune // the next step
			}
			ret, ok := at.Instr.(*ssa.Return)
			if !ok || !u.Graph.IsExit(at) {
				return int(held), paths.Continue
			}
			if !c.saysSuccess(ret, carrier, held, known) {
				return stage, paths.Found
			}
			return stage, paths.Prune
		})
		return again
	})
}

// saysSuccess reports whether a return of a Reconcile, or of one that has no
// Result, surely means that all is done.
func (c *checker) saysSuccess(ret *ssa.Return, carrier *paths.Carrier, held paths.Held, known paths.Known) bool {
	switch len(ret.Results) {
	case 1:
		return known.Of(ret.Results[0]) == paths.False
	case 2:
		return kubeapi.ReconcileResult(ret.Results[0].Type()) != nil && carrier.Of(held, ret.Results[0]) == results.Empty && known.Of(ret.Results[1]) == paths.False
	}
	return false
}

// reportSilence reports a call whose failure is answered with success.
func (c *checker) reportSilence(s failures.Silence) {
	if s.Asked == nil && !c.report.Strict() && failures.Explained(c.pass, s) {
		return
	}
	pos, end := syntax.Span(c.pass.Files, s.Call)
	fn := paths.Outermost(s.Call.Parent())
	f := rule.Finding{
		Pos: pos, End: end, Category: swallowed,
		Message: fmt.Sprintf("a failed %s is not retried: %s returns success on line %d as if nothing had happened; return the error",
			s.Name(), fn.Name(), c.line(s.Ret.Pos())),
		Related: []analysis.RelatedInformation{{Pos: s.Ret.Pos(), Message: "success is returned here"}},
	}
	if s.Logged && !c.report.Strict() {
		f.Harm = rule.Hygiene // somebody has decided that it is enough to say so
	}
	if by := c.rewriter(fn, 0); by != nil {
		f.Harm = rule.Hygiene
		f.Message = fmt.Sprintf("a failed %s is retried only if what %s defers sees to it: %s returns success on line %d; return the error",
			s.Name(), by.Name(), fn.Name(), c.line(s.Ret.Pos()))
	}
	if s.Asked != nil {
		if kubeapi.AsksCache(s.Call.Common()) && !c.report.Strict() {
			f.Harm = rule.Hygiene // the cache finds it or does not, and hardly ever fails
		}
		kind := kubeapi.Callee(s.Asked.Common()).Name()
		f.Message = fmt.Sprintf("if %s fails and %s is false, the error is forgotten and line %d returns success; return all other errors, too",
			s.Name(), kind, c.line(s.Ret.Pos()))
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: s.Asked.Pos(), Message: "only this kind is looked at"})
	}
	c.report.Report(f)
}

// reportElsewhere reports a call of a function of another package that answers
// a failure with success.
func (c *checker) reportElsewhere(call *ssa.Call, place string) {
	pos, end := syntax.Span(c.pass.Files, call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: swallowed, About: place,
		Message: fmt.Sprintf("a failed %s is not retried: %s returns success all the same; return the error there", place, kubeapi.Callee(call.Common()).Name()),
	})
}

// mapped is a function that makes success of every error, with the calls that
// hand it the error of a write and whose results are the answer.
type mapped struct {
	failures.Mapper
	calls  []*ssa.Call
	writes []*ssa.Call
}

// mappers finds functions that make success of every error of a Reconcile.
func (c *checker) mappers() {
	var order []string
	found := make(map[string]*mapped)
	for _, fn := range c.Units() {
		if _, ok := c.answers[fn]; !ok {
			continue
		}
		for call := range c.handedBack(fn) {
			m, ok := c.failures.Mapper(call)
			if !ok || m.Operand >= len(kubeapi.Operands(call.Common())) {
				continue
			}
			write := c.failures.FailedWrite(kubeapi.Operands(call.Common())[m.Operand])
			if write == nil {
				continue
			}
			if found[m.Place] == nil {
				found[m.Place] = &mapped{Mapper: m}
				order = append(order, m.Place)
			}
			found[m.Place].calls = append(found[m.Place].calls, call)
			found[m.Place].writes = append(found[m.Place].writes, write)
		}
	}
	for _, place := range order {
		c.reportMapper(found[place])
	}
}

func (c *checker) reportMapper(m *mapped) {
	first := m.calls[0]
	name := kubeapi.Callee(first.Common()).Name()
	f := rule.Finding{Category: swallowed}
	if m.Fn != nil {
		f.Pos = m.Ret.Pos()
		if stmt := c.syntax(f.Pos); stmt != nil {
			f.End = stmt.End()
		}
		f.Message = fmt.Sprintf("a failed %s is not retried: %s makes success of every error; return it, but for kinds that cannot be mended", failures.Silence{Call: m.writes[0]}.Name(), name)
	} else {
		f.Pos, f.End = syntax.Span(c.pass.Files, first)
		f.Message = fmt.Sprintf("a failed %s is not retried: %s (%s) makes success of every error; return it there", failures.Silence{Call: m.writes[0]}.Name(), name, m.Place)
	}
	for i, call := range m.calls {
		f.Related = append(f.Related,
			analysis.RelatedInformation{Pos: m.writes[i].Pos(), Message: "this may fail"},
			analysis.RelatedInformation{Pos: call.Pos(), Message: "its error is handed over here"})
	}
	c.report.Report(f)
}

package reconcileresult

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/reconcileresult/internal/results"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// loss is what is lost where a Result is returned beside an error.
type loss uint8

const (
	nothing loss = iota // Requeue, which the error does as well, or a Result that may be empty
	pace                // a RequeueAfter that somebody has chosen
	retries             // all of it: a terminal error is not tried again
)

// beside is a return of a Result that requeues and an error that is not nil.
type beside struct {
	ret *ssa.Return
	set ssa.Instruction // what makes the Result one that requeues
	// sure tells that the Result requeues whenever the function gets there.
	sure bool
	loss loss
	// after is the RequeueAfter, 0 if it is not known.
	after time.Duration
}

// besideErrors finds returns of a Result that requeues, beside an error that
// is not nil. A function that returns so several times makes one mistake.
func (u *unit) besideErrors() {
	var order []*ssa.Return
	found := make(map[*ssa.Return]beside)
	assume := u.handedOn()
	for _, n := range u.Graph.Nodes {
		made, label, ok := u.makesRequeue(n)
		if !ok {
			continue
		}
		for _, ret := range u.failingReturns(n, made, label, assume) {
			b := u.judge(n, ret)
			if known, seen := found[ret]; !seen {
				order = append(order, ret)
			} else if known.loss >= b.loss {
				continue
			}
			found[ret] = b
		}
	}
	slices.SortFunc(order, func(a, b *ssa.Return) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for _, kind := range []loss{retries, pace, nothing} {
		var same []beside
		for _, ret := range order {
			if found[ret].loss == kind {
				same = append(same, found[ret])
			}
		}
		u.reportBeside(same)
	}
}

// failingReturns returns the returns that a Result which is made at a node
// reaches, and where the error is not nil on any path that brings it there. A
// path on which it is nil is evidence that it may be, even if only a deferred
// function asks.
func (u *unit) failingReturns(n *paths.Node, made ssa.Value, label paths.Label, assume map[ssa.Value]paths.Truth) []*ssa.Return {
	carrier := u.results.Carrier()
	var order []*ssa.Return
	always := make(map[*ssa.Return]bool)
	u.Graph.Search(n, int(carrier.Hold(0, made, label)), assume, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		held := carrier.Step(at, known, paths.Held(stage))
		if carrier.Lost() {
			return stage, paths.Prune
		}
		ret, ok := at.Instr.(*ssa.Return)
		if !ok || !u.Graph.IsExit(at) {
			return int(held), paths.Continue
		}
		if carrier.Of(held, ret.Results[0]) == label {
			fails := u.results.Failure(ret.Results[1], known) == paths.True && !u.Calls.IsNilError(ret.Results[1])
			if before, seen := always[ret]; !seen {
				order = append(order, ret)
				always[ret] = fails
			} else {
				always[ret] = before && fails
			}
		}
		return stage, paths.Prune
	})
	var failing []*ssa.Return
	for _, ret := range order {
		if always[ret] && !carrier.Lost() {
			failing = append(failing, ret)
		}
	}
	return failing
}

// judge tells what is lost by a return.
func (u *unit) judge(made *paths.Node, ret *ssa.Return) beside {
	b := beside{ret: ret, set: made.Instr}
	b.sure = made.Frame.Parent == nil && made.Instr.Block().Dominates(ret.Block())
	paced := false
	b.after, paced = u.results.Pace(made.Instr)
	call, ok := ret.Results[1].(*ssa.Call)
	switch {
	case !b.sure:
	case ok && isTerminal(call):
		b.loss = retries
	case paced:
		b.loss = pace
	}
	return b
}

// handedOn returns the errors that helpers are given to return beside a Result,
// so that the search keeps what is known of them.
func (u *unit) handedOn() map[ssa.Value]paths.Truth {
	errs := make(map[ssa.Value]paths.Truth)
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || call.Call.IsInvoke() {
			continue
		}
		if s := u.results.ShapeOf(call); s.Meant && s.Err >= 0 && s.Err < len(call.Call.Args) {
			errs[call.Call.Args[s.Err]] = paths.Unknown
		}
	}
	return errs
}

// makesRequeue returns the Result that a node makes, or makes to be one that
// requeues. One that may be empty all the same is for the strict flag.
func (u *unit) makesRequeue(n *paths.Node) (made ssa.Value, label paths.Label, ok bool) {
	if n.Joins != nil {
		return nil, 0, false
	}
	made, label, ok = u.results.Label(n.Instr, func(ssa.Value) paths.Label { return results.Empty })
	if !ok || label != results.Requeues && (label != results.Meant || !u.report.Strict()) {
		return nil, 0, false
	}
	if extract, ok := n.Instr.(*ssa.Extract); ok {
		// Where both are returned unchanged, the helper is where it is wrong,
		// unless it was given the error.
		call := extract.Tuple.(*ssa.Call)
		for _, fn := range u.Calls.Callees(call).Funcs {
			if _, looked := u.answers[fn]; looked && u.results.ShapeOf(call).Err < 0 {
				return nil, 0, false
			}
		}
	}
	return made, label, true
}

// reportBeside reports returns of one function that lose the same, at the first
// of them.
func (u *unit) reportBeside(same []beside) {
	if len(same) == 0 {
		return
	}
	first := same[0]
	pos, end := u.resultSpan(first.ret)
	silenced := u.report.Silenced(pos, resultWithError)
	others := same[:0:0]
	for _, b := range same[1:] {
		if at, _ := u.resultSpan(b.ret); !u.report.Silenced(at, resultWithError) {
			others = append(others, b)
		}
	}
	if silenced {
		return
	}
	f := rule.Finding{Pos: pos, End: end, Category: resultWithError, Message: u.words(first, len(others))}
	switch first.loss {
	case retries:
		f.Harm = rule.Stuck
	case pace:
		// It is retried, sooner than meant, and every controller does that.
		f.Harm = rule.Hygiene
	case nothing:
		f.Harm = rule.Hygiene
		f.Fix = u.emptyFix(append([]beside{first}, others...))
	}
	if set := setAt(first.set); set.IsValid() && u.line(set) != u.line(pos) {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: set, Message: "the requeue is set here"})
	}
	for _, b := range others {
		at, end := u.resultSpan(b.ret)
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: at, End: end, Message: "the same here"})
	}
	if u.by.at.IsValid() {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: u.by.at, Message: "both are returned unchanged here"})
	}
	u.report.Report(f)
}

// words words the finding about a return, and others like it.
func (u *unit) words(b beside, others int) string {
	also := ""
	if others > 0 {
		also = fmt.Sprintf(" (%d returns)", others+1)
	}
	after := "after RequeueAfter"
	if b.after > 0 {
		after = "after " + wording.Duration(b.after)
	}
	switch {
	case b.loss == retries:
		return fmt.Sprintf("the object is not looked at again %s: beside a terminal error the Result is ignored%s; return the Result with nil", after, also)
	case b.loss == pace:
		return fmt.Sprintf("a failure is retried after milliseconds to minutes, not %s: beside an error the Result is ignored%s; return one of the two", after, also)
	case !b.sure:
		return fmt.Sprintf("the requeue of line %d is ignored beside this error%s; return an empty Result with the error", u.line(setAt(b.set)), also)
	}
	return fmt.Sprintf("Requeue changes nothing beside an error, which is retried anyway%s; return an empty Result with the error", also)
}

// setAt is where a requeue is asked for.
func setAt(set ssa.Instruction) token.Pos {
	if extract, ok := set.(*ssa.Extract); ok {
		return extract.Tuple.Pos()
	}
	return set.Pos()
}

// resultSpan is where the Result of a return is written.
func (u *unit) resultSpan(ret *ssa.Return) (pos, end token.Pos) {
	if stmt := u.syntax(ret.Pos()); stmt != nil && len(stmt.Results) > 0 {
		return stmt.Results[0].Pos(), stmt.Results[0].End()
	}
	return ret.Pos(), token.NoPos
}

func isTerminal(call *ssa.Call) bool {
	return kubeapi.IsFunc(kubeapi.Callee(call.Common()), "sigs.k8s.io/controller-runtime/pkg/reconcile", "TerminalError")
}

// emptyFix empties the literals that are returned, which changes nothing but the
// warning; nil if that does not go for all of them.
func (u *unit) emptyFix(all []beside) *analysis.SuggestedFix {
	fix := &analysis.SuggestedFix{Message: "Return an empty Result"}
	for _, b := range all {
		stmt := u.syntax(b.ret.Pos())
		if stmt == nil || len(stmt.Results) != 2 {
			return nil
		}
		lit, ok := ast.Unparen(stmt.Results[0]).(*ast.CompositeLit)
		if !ok || !u.isMechanical(lit) {
			return nil
		}
		fix.TextEdits = append(fix.TextEdits, analysis.TextEdit{Pos: lit.Lbrace + 1, End: lit.Rbrace, NewText: nil})
	}
	return fix
}

// isMechanical reports whether nothing else is lost if a literal is emptied: a
// priority, a call, the only use of a local variable, a comment.
func (u *unit) isMechanical(lit *ast.CompositeLit) bool {
	mechanical := !u.hasComment(lit)
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "Requeue" && key.Name != "RequeueAfter" {
			return false
		}
		ast.Inspect(kv.Value, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				mechanical = mechanical && u.pass.TypesInfo.Types[n.Fun].IsType()
			case *ast.Ident:
				v, isVar := u.pass.TypesInfo.Uses[n].(*types.Var)
				mechanical = mechanical && (!isVar || v.IsField() || v.Parent() == nil || v.Parent().Parent() == types.Universe || isParameter(v, u.Fn))
			}
			return true
		})
	}
	return mechanical
}

// hasComment reports whether a comment is inside a node.
func (c *checker) hasComment(at ast.Node) bool {
	return slices.ContainsFunc(syntax.FileOf(c.pass.Files, at.Pos()).Comments, func(group *ast.CommentGroup) bool {
		return at.Pos() < group.Pos() && group.End() <= at.End()
	})
}

// isParameter reports whether a variable is a parameter or the receiver of fn,
// which may stay unused.
func isParameter(v *types.Var, fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return p.Object() == v })
}

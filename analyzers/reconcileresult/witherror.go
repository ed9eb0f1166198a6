package reconcileresult

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
)

// besideErrors finds returns of a Result that requeues, beside an error that
// is not nil on some path.
func (u *unit) besideErrors() {
	assume := u.handedOn()
	for _, n := range u.Graph.Nodes {
		made, ok := u.makesRequeue(n)
		if !ok {
			continue
		}
		carrier := u.carrier()
		u.Graph.Search(n, int(carrier.Hold(0, made, requeues)), assume, func(at *flow.Node, stage int, known flow.Known) (int, flow.Step) {
			held := carrier.Step(at, known, flow.Held(stage))
			if carrier.Lost() {
				return stage, flow.Prune
			}
			ret, ok := at.Instr.(*ssa.Return)
			if !ok || !u.Graph.IsExit(at) {
				return int(held), flow.Continue
			}
			if carrier.Of(held, ret.Results[0]) == requeues && u.failure(ret.Results[1], known) == flow.True && !u.Calls.IsNilError(ret.Results[1]) {
				u.reportBeside(n, ret)
			}
			return stage, flow.Prune
		})
	}
}

// handedOn returns the errors that helpers are given to return beside a Result,
// so that the search keeps what is known of them.
func (u *unit) handedOn() map[ssa.Value]flow.Truth {
	errs := make(map[ssa.Value]flow.Truth)
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || call.Call.IsInvoke() {
			continue
		}
		if s := u.shapeOf(call); s.requeues && s.err >= 0 && s.err < len(call.Call.Args) {
			errs[call.Call.Args[s.err]] = flow.Unknown
		}
	}
	return errs
}

// makesRequeue returns the Result that a node makes, or makes to be one that
// requeues.
func (u *unit) makesRequeue(n *flow.Node) (made ssa.Value, ok bool) {
	if n.Joins != nil {
		return nil, false
	}
	made, label, ok := u.label(n.Instr, func(ssa.Value) flow.Label { return empty })
	if !ok || label != requeues {
		return nil, false
	}
	if extract, ok := n.Instr.(*ssa.Extract); ok {
		// Where both are returned unchanged, the helper is where it is wrong,
		// unless it was given the error.
		call := extract.Tuple.(*ssa.Call)
		for _, fn := range u.Calls.Callees(call).Funcs {
			if _, looked := u.answers[fn]; looked && u.shapeOf(call).err < 0 {
				return nil, false
			}
		}
	}
	return made, true
}

func (u *unit) reportBeside(made *flow.Node, ret *ssa.Return) {
	stmt := u.syntax(ret.Pos())
	f := rule.Finding{Pos: ret.Pos(), Category: resultWithError}
	given := "this Result"
	set := made.Instr.Pos()
	if extract, ok := made.Instr.(*ssa.Extract); ok {
		set = extract.Tuple.Pos()
	}
	if stmt != nil && len(stmt.Results) > 0 {
		f.Pos, f.End = stmt.Results[0].Pos(), stmt.Results[0].End()
		if id, ok := ast.Unparen(stmt.Results[0]).(*ast.Ident); ok {
			given = fmt.Sprintf("%s (set on line %d)", id.Name, u.line(set))
		}
		f.Fix = u.emptyFix(stmt)
	}
	f.Message = fmt.Sprintf("controller-runtime ignores %s, since the error beside it is not nil: the object is tried again with exponential back-off, and each time a warning is logged; return an empty Result with the error, or the Result with a nil error", given)
	if call, ok := ret.Results[1].(*ssa.Call); ok && isTerminal(call) {
		f.Message = fmt.Sprintf("controller-runtime ignores %s, since the error beside it is not nil: after a terminal error the object is not tried again at all; return an empty Result with the error, or the Result with a nil error", given)
	}
	if u.by.at.IsValid() {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: u.by.at, Message: "both are returned unchanged here"})
	}
	if set.IsValid() && u.line(set) != u.line(f.Pos) {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: set, Message: "the requeue is set here"})
	}
	u.report.Report(f)
}

func isTerminal(call *ssa.Call) bool {
	return kubeapi.IsFunc(kubeapi.Callee(call.Common()), "sigs.k8s.io/controller-runtime/pkg/reconcile", "TerminalError")
}

// emptyFix empties the literal that is returned, if nothing else is lost by
// that: a priority, a call, the only use of a local variable.
func (u *unit) emptyFix(stmt *ast.ReturnStmt) *analysis.SuggestedFix {
	lit, ok := ast.Unparen(stmt.Results[0]).(*ast.CompositeLit)
	if !ok || len(stmt.Results) != 2 {
		return nil
	}
	mechanical := true
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return nil
		}
		if key, ok := kv.Key.(*ast.Ident); !ok || key.Name != "Requeue" && key.Name != "RequeueAfter" {
			return nil
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
	if !mechanical {
		return nil
	}
	return &analysis.SuggestedFix{
		Message:   "Return an empty Result",
		TextEdits: []analysis.TextEdit{{Pos: lit.Lbrace + 1, End: lit.Rbrace, NewText: nil}},
	}
}

// isParameter reports whether a variable is a parameter or the receiver of fn,
// which may stay unused.
func isParameter(v *types.Var, fn *ssa.Function) bool {
	for _, p := range fn.Params {
		if p.Object() == v {
			return true
		}
	}
	return false
}

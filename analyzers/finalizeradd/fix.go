package finalizeradd

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// deletingFix puts the test in front of the condition under which the
// finalizer is added, where that is all there is to it:
//
//	if controllerutil.AddFinalizer(obj, name) {
//	if !controllerutil.ContainsFinalizer(obj, name) {
func (c *checker) deletingFix(a addition) *analysis.SuggestedFix {
	call, ok := a.node.Instr.(*ssa.Call)
	if !ok || a.Via != nil {
		return nil
	}
	verb, ok := kubeapi.FinalizerCallOf(call.Common())
	if !ok || verb.Persists || verb.Verb != kubeapi.AddsFinalizer {
		return nil
	}
	syntax := syntax.Call(c.pass.Files, call)
	if syntax == nil || len(syntax.Args) != 2 {
		return nil
	}
	object := receiver(syntax.Args[0])
	if object == nil || !kubeapi.HasMethod(pointerTo(c.pass.TypesInfo.TypeOf(object)), "GetDeletionTimestamp") {
		return nil
	}
	branch := c.guardOf(syntax)
	if branch == nil {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Add it only while the object is not being deleted",
		TextEdits: []analysis.TextEdit{{
			Pos: branch.Cond.Pos(), End: branch.Cond.Pos(),
			NewText: []byte(types.ExprString(object) + ".GetDeletionTimestamp().IsZero() && "),
		}},
	}
}

func pointerTo(t types.Type) types.Type {
	if t == nil {
		return types.Typ[types.Invalid]
	}
	if _, ok := t.Underlying().(*types.Pointer); ok || types.IsInterface(t) {
		return t
	}
	return types.NewPointer(t)
}

// receiver is an argument as the receiver of a method: obj of obj and of &obj,
// where it has no side effects.
func receiver(arg ast.Expr) ast.Expr {
	arg = ast.Unparen(arg)
	if unary, ok := arg.(*ast.UnaryExpr); ok && unary.Op == token.AND {
		arg = ast.Unparen(unary.X)
	}
	for e := arg; ; {
		switch x := e.(type) {
		case *ast.Ident:
			return arg
		case *ast.SelectorExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// guardOf returns the if statement without an else whose condition is the
// call, or that the finalizer is missing.
func (c *checker) guardOf(call *ast.CallExpr) *ast.IfStmt {
	for _, n := range syntax.Path(c.pass.Files, call.Pos()) {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Else == nil && n.Init == nil && (ast.Unparen(n.Cond) == call || c.missing(n.Cond, call)) {
				return n
			}
			return nil
		case *ast.FuncLit, *ast.FuncDecl, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
			return nil
		}
	}
	return nil
}

// missing reports whether a condition is !ContainsFinalizer of the same object
// and name as the call has.
func (c *checker) missing(cond ast.Expr, call *ast.CallExpr) bool {
	not, ok := ast.Unparen(cond).(*ast.UnaryExpr)
	if !ok || not.Op != token.NOT {
		return false
	}
	contains, ok := ast.Unparen(not.X).(*ast.CallExpr)
	if !ok || len(contains.Args) != 2 {
		return false
	}
	sel, ok := ast.Unparen(contains.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, _ := c.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	return kubeapi.IsFunc(fn, "sigs.k8s.io/controller-runtime/pkg/controller/controllerutil", "ContainsFinalizer") &&
		types.ExprString(contains.Args[0]) == types.ExprString(call.Args[0]) &&
		types.ExprString(contains.Args[1]) == types.ExprString(call.Args[1])
}

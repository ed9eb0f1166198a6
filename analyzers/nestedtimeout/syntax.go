package nestedtimeout

import (
	"go/ast"
	"go/token"
	"go/types"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/wording"
)

// call returns the expression of a call, or nil.
func (c *checker) call(call ssa.CallInstruction) *ast.CallExpr {
	return syntax.Call(c.pass.Files, call)
}

// holds returns the variable to which the first result of a call is assigned, or nil.
func (c *checker) holds(call *ssa.Call) types.Object {
	expr := c.call(call)
	for _, n := range syntax.Path(c.pass.Files, call.Pos()) {
		if assign, ok := n.(*ast.AssignStmt); ok && expr != nil && len(assign.Rhs) == 1 && ast.Unparen(assign.Rhs[0]) == expr {
			if name, ok := assign.Lhs[0].(*ast.Ident); ok && name.Name != "_" {
				return c.pass.TypesInfo.ObjectOf(name)
			}
		}
	}
	return nil
}

// context returns the expression by which a call gets a context, or nil.
func (c *checker) context(call ssa.CallInstruction) ast.Expr {
	expr := c.call(call)
	if expr == nil {
		return nil
	}
	for _, arg := range expr.Args {
		if t := c.pass.TypesInfo.TypeOf(arg); t != nil && kubeapi.IsContext(t) {
			return arg
		}
	}
	return nil
}

// name says how the code writes the context that a call gets.
func (c *checker) name(call ssa.CallInstruction) string {
	expr := c.context(call)
	if expr == nil {
		return "the context"
	}
	switch expr := ast.Unparen(expr).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return types.ExprString(expr)
	case *ast.CallExpr:
		if len(expr.Args) == 0 {
			return types.ExprString(expr)
		}
	}
	return "the context"
}

// duration says how long a timeout is: its value or, failing that, its
// expression.
func (c *checker) duration(call ssa.CallInstruction, d time.Duration, known bool) string {
	if known {
		return wording.Duration(d)
	}
	text := "the same"
	if expr := c.call(call); expr != nil {
		for _, arg := range expr.Args { // the last: a poll has its interval before
			if t := c.pass.TypesInfo.TypeOf(arg); t != nil && kubeapi.IsNamed(t, "time", "Duration") {
				text = types.ExprString(arg)
			}
		}
	}
	return text
}

// at names a place as seen from another one.
func (c *checker) at(pos, from token.Pos) string {
	return syntax.At(c.pass.Fset, pos, from)
}

// callee names what is called.
func (c *checker) callee(call ssa.CallInstruction) string {
	if callee := kubeapi.Callee(call.Common()); callee != nil {
		return callee.Name()
	}
	if expr := c.call(call); expr != nil {
		switch fun := ast.Unparen(expr.Fun).(type) {
		case *ast.Ident, *ast.SelectorExpr:
			return types.ExprString(fun)
		}
	}
	return "the function"
}

// span is the extent of a call, for diagnostics.
func (c *checker) span(call ssa.CallInstruction) (pos, end token.Pos) {
	if expr := c.call(call); expr != nil {
		return expr.Pos(), expr.End()
	}
	return call.Pos(), token.NoPos
}

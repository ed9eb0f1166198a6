package cacheobjects

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	where "github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Expression is what an instruction writes to, as the source has it.
func (o *Objects) Expression(instr ssa.Instruction) string {
	if e := o.Target(instr); e != nil {
		return shorten(types.ExprString(e))
	}
	return ""
}

// Target returns the expression that an instruction writes to: the left side of
// an assignment, the argument of delete, append or a function.
func (o *Objects) Target(instr ssa.Instruction) ast.Expr {
	if call, ok := instr.(ssa.CallInstruction); ok {
		syntax := where.Call(o.pass.Files, call)
		if syntax == nil {
			return nil
		}
		return ast.Unparen(argument(call, syntax))
	}
	pos := instr.Pos()
	if !pos.IsValid() {
		return nil
	}
	for _, n := range where.Path(o.pass.Files, pos) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			return assigned(n, pos)
		case *ast.IncDecStmt:
			return n.X
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil && e.Pos() <= pos && pos <= e.End() {
					return e
				}
			}
			return nil
		case *ast.BlockStmt, *ast.FuncLit:
			return nil
		}
	}
	return nil
}

// assigned returns the left side of an assignment that a position belongs to.
func assigned(stmt *ast.AssignStmt, pos token.Pos) ast.Expr {
	for _, e := range stmt.Lhs {
		if e.Pos() <= pos && pos <= e.End() {
			return e
		}
	}
	for i, e := range stmt.Rhs {
		if e.Pos() <= pos && pos <= e.End() && i < len(stmt.Lhs) {
			return stmt.Lhs[i]
		}
	}
	if len(stmt.Lhs) == 1 {
		return stmt.Lhs[0]
	}
	return nil
}

// argument is the operand of a call that names best what it writes to: the one
// that a function of a library is known to write to, the receiver, if the write
// is the method's, else the first argument.
func argument(call ssa.CallInstruction, syntax *ast.CallExpr) ast.Expr {
	common := call.Common()
	if fn := kubeapi.Callee(common); fn != nil {
		if write, ok := kubeapi.MemoryWriteOf(fn); ok {
			operand := write.Operand
			if fn.Signature().Recv() != nil {
				operand-- // the receiver
			}
			if 0 <= operand && operand < len(syntax.Args) {
				return syntax.Args[operand]
			}
		}
	}
	method := common.IsInvoke() || common.StaticCallee() != nil && common.StaticCallee().Signature.Recv() != nil
	if sel, ok := ast.Unparen(syntax.Fun).(*ast.SelectorExpr); ok && method {
		return sel.X
	}
	if len(syntax.Args) > 0 {
		return syntax.Args[0]
	}
	return syntax.Fun
}

// shorten keeps messages readable.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}

// calleeText names what a call calls, with what it is called on, as the source
// has it: c.podLister.Get.
func calleeText(common *ssa.CallCommon) string {
	fn := kubeapi.Callee(common)
	if fn == nil {
		return "the function"
	}
	if recv, _ := kubeapi.Args(common); recv != nil {
		if name := valueText(recv); name != "" {
			return name + "." + fn.Name()
		}
	}
	return fn.Name()
}

// valueText names a value by the fields that lead to it.
func valueText(v ssa.Value) string {
	for range maxDescribed {
		base, fields := values.Selection(v)
		for len(fields) > 0 && fields[len(fields)-1].Embedded() {
			fields = fields[:len(fields)-1]
		}
		call, ok := base.(*ssa.Call)
		if !ok || len(fields) > 0 {
			return values.Join(values.NameOf(base), fields)
		}
		// c.podLister.Pods(ns).Get is told as c.podLister.Get.
		recv, args := kubeapi.Args(call.Common())
		if recv == nil || len(args) > 1 {
			return ""
		}
		v = recv
	}
	return ""
}

// maxDescribed bounds the calls that a value is named through.
const maxDescribed = 5

package nestedtimeout

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/wording"
)

// syntax finds the source of calls.
type syntax struct {
	pass *analysis.Pass
	once sync.Once // before calls and assigned are asked: few packages have anything to say
	// calls are the call expressions by the position that SSA gives them: that
	// of the parenthesis, or of the defer or go statement.
	calls map[token.Pos]*ast.CallExpr
	// assigned are the variables to which the first result of a call is
	// assigned.
	assigned map[*ast.CallExpr]types.Object
}

func newSyntax(pass *analysis.Pass) *syntax { return &syntax{pass: pass} }

// gather goes through the source.
func (s *syntax) gather() {
	s.calls, s.assigned = make(map[token.Pos]*ast.CallExpr), make(map[*ast.CallExpr]types.Object)
	for _, file := range s.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				s.calls[n.Lparen] = n
			case *ast.DeferStmt:
				s.calls[n.Defer] = n.Call
			case *ast.GoStmt:
				s.calls[n.Go] = n.Call
			case *ast.AssignStmt:
				if len(n.Rhs) != 1 {
					return true
				}
				call, isCall := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
				name, isName := n.Lhs[0].(*ast.Ident)
				if isCall && isName && name.Name != "_" {
					s.assigned[call] = s.pass.TypesInfo.ObjectOf(name)
				}
			}
			return true
		})
	}
}

// call returns the expression of a call, or nil.
func (s *syntax) call(call ssa.CallInstruction) *ast.CallExpr {
	s.once.Do(s.gather)
	return s.calls[call.Pos()]
}

// holds returns the variable to which the first result of a call is assigned, or nil.
func (s *syntax) holds(call *ast.CallExpr) types.Object {
	s.once.Do(s.gather)
	return s.assigned[call]
}

// context returns the expression by which a call gets a context, or nil.
func (s *syntax) context(call ssa.CallInstruction) ast.Expr {
	expr := s.call(call)
	if expr == nil {
		return nil
	}
	for _, arg := range expr.Args {
		if t := s.pass.TypesInfo.TypeOf(arg); t != nil && kubeapi.IsContext(t) {
			return arg
		}
	}
	return nil
}

// name says how the code writes the context that a call gets.
func (s *syntax) name(call ssa.CallInstruction) string {
	expr := s.context(call)
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
func (s *syntax) duration(call ssa.CallInstruction, d time.Duration, known bool) string {
	if known {
		return wording.Duration(d)
	}
	text := "the same"
	if expr := s.call(call); expr != nil {
		for _, arg := range expr.Args { // the last: a poll has its interval before
			if t := s.pass.TypesInfo.TypeOf(arg); t != nil && kubeapi.IsNamed(t, "time", "Duration") {
				text = types.ExprString(arg)
			}
		}
	}
	return text
}

// at names a place as seen from another one.
func (s *syntax) at(pos, from token.Pos) string {
	there, here := s.pass.Fset.Position(pos), s.pass.Fset.Position(from)
	if there.Filename == here.Filename {
		return fmt.Sprintf("line %d", there.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(there.Filename), there.Line)
}

// callee names what is called.
func (s *syntax) callee(call ssa.CallInstruction) string {
	if callee := kubeapi.Callee(call.Common()); callee != nil {
		return callee.Name()
	}
	if expr := s.call(call); expr != nil {
		switch fun := ast.Unparen(expr.Fun).(type) {
		case *ast.Ident, *ast.SelectorExpr:
			return types.ExprString(fun)
		}
	}
	return "the function"
}

// span is the extent of a call, for diagnostics.
func (s *syntax) span(call ssa.CallInstruction) (pos, end token.Pos) {
	if expr := s.call(call); expr != nil {
		return expr.Pos(), expr.End()
	}
	return call.Pos(), token.NoPos
}

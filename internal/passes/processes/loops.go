package processes

import (
	"go/ast"
	"go/token"
	"go/types"
)

// goesOn reports whether a function, without its literals, goes on for ever or until it
// is told to stop: by an empty select, a loop that is left only where something was
// received that carries nothing, as from a context, or one over what a ticker, a watch or
// the like sends.
func (b *builder) goesOn(body *ast.BlockStmt) bool {
	info := b.pass.TypesInfo
	found := false
	inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			found = found || len(n.Body.List) == 0
		case *ast.ForStmt:
			found = found || n.Cond == nil && !leaves(info, n.Body)
		case *ast.RangeStmt:
			if ch, ok := b.typeAt(n.X).Underlying().(*types.Chan); ok && b.isForeign(ch.Elem()) {
				found = found || !leaves(info, n.Body)
			}
		}
		return !found
	})
	return found
}

// inspect visits the syntax without function literals.
func inspect(root ast.Node, visit func(ast.Node) bool) {
	ast.Inspect(root, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		return n != nil && visit(n)
	})
}

// leaves reports whether a loop's body leaves the loop other than because it was told
// to stop.
func leaves(info *types.Info, body *ast.BlockStmt) bool {
	found := false
	var visit func(root ast.Node, inner bool)
	visit = func(root ast.Node, inner bool) {
		inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CommClause:
				if isStop(info, n.Comm) {
					return false
				}
			case *ast.ReturnStmt:
				found = true
			case *ast.BranchStmt:
				found = found || n.Tok == token.GOTO || n.Tok == token.BREAK && (n.Label != nil || !inner)
			case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
				if n != root && !inner {
					visit(n, true)
					return false
				}
			}
			return !found
		})
	}
	visit(body, false)
	return found
}

// isStop reports whether a case receives from a channel that only tells to stop: one of
// struct{}, or of signals.
func isStop(info *types.Info, comm ast.Stmt) bool {
	var received ast.Expr
	switch comm := comm.(type) {
	case *ast.ExprStmt:
		received = comm.X
	case *ast.AssignStmt:
		received = comm.Rhs[0]
	default:
		return false
	}
	recv, ok := ast.Unparen(received).(*ast.UnaryExpr)
	if !ok || recv.Op != token.ARROW {
		return false
	}
	t := info.TypeOf(recv.X)
	if t == nil {
		return false
	}
	ch, ok := t.Underlying().(*types.Chan)
	if !ok {
		return false
	}
	if s, ok := ch.Elem().Underlying().(*types.Struct); ok && s.NumFields() == 0 {
		return true
	}
	return isSignal(ch.Elem())
}

// isSignal reports whether a type is that of the process's signals.
func isSignal(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Signal" && named.Obj().Pkg().Path() == "os"
}

// isForeign reports whether a type is another module's.
func (b *builder) isForeign(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && !b.isOurs(named.Obj().Pkg())
}

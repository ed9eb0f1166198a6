package processes

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/opvet/opvet/internal/kubeapi"
)

// brief notes what a go statement starts that ends with the function: it is told to stop by
// what the function makes and ends in a deferred call, and the function waits for some
// result meanwhile, as in
//
//	stop := make(chan struct{})
//	defer close(stop)
//	go informer.Run(stop)
//	return <-result
//
// A process that does so goes on no longer than until there is a result. One that waits to be
// told to stop goes on.
func (b *builder) brief(start *ast.GoStmt, root ast.Node, m *mentions) {
	body, ok := root.(*ast.BlockStmt)
	if !ok || len(start.Call.Args) == 0 {
		return
	}
	name, _ := calledIdent(start.Call)
	if name == nil {
		return
	}
	for _, arg := range start.Call.Args {
		if stop := b.stopOf(arg); stop != nil && b.endsItself(body, stop) && b.awaitsResult(body) {
			m.brief[name] = true
		}
	}
}

// stopOf returns the variable of a stop channel or a context that a call is handed, the
// latter also by its Done; nil for none.
func (b *builder) stopOf(arg ast.Expr) types.Object {
	arg = ast.Unparen(arg)
	if call, ok := arg.(*ast.CallExpr); ok {
		if done, ok := call.Fun.(*ast.SelectorExpr); ok && kubeapi.IsContext(b.typeAt(done.X)) {
			arg = ast.Unparen(done.X)
		}
	}
	name, ok := arg.(*ast.Ident)
	if !ok || !kubeapi.IsContext(b.typeAt(name)) && !kubeapi.IsStopChannel(b.typeAt(name)) {
		return nil
	}
	return b.pass.TypesInfo.Uses[name]
}

// endsItself reports whether a function's deferred calls end a stop channel or context: they
// close it, or call the function that came with it.
func (b *builder) endsItself(body *ast.BlockStmt, stop types.Object) bool {
	info := b.pass.TypesInfo
	cancels := make(map[types.Object]bool)
	found := false
	inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) != 2 || len(n.Rhs) != 1 {
				break
			}
			ctx, isName := n.Lhs[0].(*ast.Ident)
			cancel, too := n.Lhs[1].(*ast.Ident)
			if isName && too && info.Defs[ctx] == stop {
				cancels[info.ObjectOf(cancel)] = true
			}
		case *ast.DeferStmt:
			name, ok := ast.Unparen(n.Call.Fun).(*ast.Ident)
			if !ok {
				break
			}
			if _, builtin := info.Uses[name].(*types.Builtin); builtin && name.Name == "close" {
				name, ok = ast.Unparen(n.Call.Args[0]).(*ast.Ident)
				found = found || ok && info.Uses[name] == stop
			}
			found = found || ok && cancels[info.Uses[name]]
		}
		return !found
	})
	return found
}

// awaitsResult reports whether a function receives something but for being told to stop,
// which it nowhere waits for alone.
func (b *builder) awaitsResult(body *ast.BlockStmt) bool {
	result, told := false, false
	chosen := make(map[ast.Stmt]bool) // the receives of selects
	inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommClause:
			chosen[n.Comm] = true
		case *ast.ExprStmt:
			told = told || !chosen[n] && isStop(b.pass.TypesInfo, n)
		case *ast.AssignStmt:
			told = told || !chosen[n] && isStop(b.pass.TypesInfo, n)
		case *ast.UnaryExpr:
			result = result || n.Op == token.ARROW && !kubeapi.IsStopChannel(b.typeAt(n.X)) && !b.isSignals(n.X)
		}
		return true
	})
	return result && !told
}

// isSignals reports whether an expression is a channel of the process's signals.
func (b *builder) isSignals(ch ast.Expr) bool {
	t, ok := b.typeAt(ch).Underlying().(*types.Chan)
	return ok && isSignal(t.Elem())
}

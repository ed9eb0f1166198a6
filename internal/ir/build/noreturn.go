package build

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Ends is the fact on a function that never returns: it ends the process, or panics.
type Ends struct{}

// AFact marks a fact on a function.
func (*Ends) AFact() {}

// ending finds the functions of the package that never return, says so of those that others
// may call, and returns a test for all: what comes after a call of one is not reached. They
// have no results and no return statement, and end with a call of another one.
func ending(pass *analysis.Pass) func(fn *types.Func) bool {
	never := make(map[*types.Func]bool)
	ends := func(fn *types.Func) bool {
		switch {
		case kubeapi.NoReturn(fn), never[fn]:
			return true
		case fn.Pkg() == nil || fn.Pkg() == pass.Pkg || !fn.Exported() || fn.Signature().Results().Len() > 0:
			return false
		}
		return pass.ImportObjectFact(fn.Origin(), new(Ends))
	}
	var open []*ast.FuncDecl
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && decl.Type.Results == nil && decl.Body != nil && len(decl.Body.List) > 0 && !returns(decl.Body) {
				open = append(open, decl)
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, decl := range open {
			fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok || never[fn] || !endsIn(pass, decl.Body, ends) {
				continue
			}
			never[fn], grown = true, true
			if fn.Exported() && decl.Name.Name != "main" {
				pass.ExportObjectFact(fn, new(Ends))
			}
		}
	}
	return ends
}

// returns reports whether a body has a return statement of its own.
func returns(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ReturnStmt:
			found = true
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// endsIn reports whether the last statement of a body is a call that does not return.
func endsIn(pass *analysis.Pass, body *ast.BlockStmt, ends func(*types.Func) bool) bool {
	stmt, ok := body.List[len(body.List)-1].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(stmt.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	var name *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	default:
		return false
	}
	switch obj := pass.TypesInfo.Uses[name].(type) {
	case *types.Builtin:
		return obj.Name() == "panic"
	case *types.Func:
		return ends(obj)
	}
	return false
}

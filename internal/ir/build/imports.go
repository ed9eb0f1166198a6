package build

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// declareImports creates the imported packages with what the package uses of
// them: their functions, methods and variables as declarations.
//
// Given a package's types alone, CreatePackage declares all that there is,
// thousands of methods for k8s.io/api/core/v1, again for each package that
// imports it: that was half of what building SSA cost. Of a package with
// syntax it declares what the syntax does, so that each import gets a file
// that declares what is used. Constants need no declaration, and methods that
// are used behind a promotion only are made on demand.
func declareImports(prog *ssa.Program, pass *analysis.Pass) {
	names := make(map[*types.Package][]*ast.Ident)
	for _, imported := range pass.Pkg.Imports() {
		names[imported] = nil
	}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object)}
	declared := make(map[types.Object]bool)
	for _, obj := range pass.TypesInfo.Uses {
		if obj.Pkg() == nil || obj.Pkg() == pass.Pkg {
			continue
		}
		switch o := obj.(type) {
		case *types.Var:
			if o.Parent() != o.Pkg().Scope() {
				continue // a field
			}
		case *types.Func:
			obj = o.Origin()
			if recv := o.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				continue
			}
		default:
			continue
		}
		known, imported := names[obj.Pkg()]
		if !imported || declared[obj] {
			continue
		}
		declared[obj] = true
		id := ast.NewIdent(obj.Name())
		info.Defs[id] = obj
		names[obj.Pkg()] = append(known, id)
	}
	for _, imported := range pass.Pkg.Imports() {
		// What a declaration of constants names is declared as what it is,
		// without syntax: just as from types alone.
		decl := &ast.GenDecl{Tok: token.CONST, Specs: []ast.Spec{&ast.ValueSpec{Names: names[imported]}}}
		prog.CreatePackage(imported, []*ast.File{{Decls: []ast.Decl{decl}}}, info, true)
	}
}

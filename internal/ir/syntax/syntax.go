// Package syntax leads from SSA back to the syntax that a finding is reported
// at and a fix edits.
package syntax

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// Path returns the syntax around a position, innermost first, or nil.
func Path(files []*ast.File, pos token.Pos) []ast.Node {
	if !pos.IsValid() {
		return nil
	}
	for _, file := range files {
		if file.FileStart <= pos && pos <= file.FileEnd {
			return pathIn(file, pos)
		}
	}
	return nil
}

// pathIn returns the syntax around a position of a file. It looks at the
// declaration that the position is in, and not at the thousands of others that
// a file may have.
func pathIn(file *ast.File, pos token.Pos) []ast.Node {
	i, found := slices.BinarySearchFunc(file.Decls, pos, func(decl ast.Decl, pos token.Pos) int {
		switch {
		case decl.End() <= pos:
			return -1
		case pos < decl.Pos():
			return 1
		}
		return 0
	})
	narrow := file
	if found {
		narrow = &ast.File{Package: file.Package, Name: file.Name, Decls: file.Decls[i : i+1], FileStart: file.FileStart, FileEnd: file.FileEnd}
	}
	path, _ := astutil.PathEnclosingInterval(narrow, pos, pos)
	if n := len(path); n > 0 && path[n-1] == narrow {
		path[n-1] = file
	}
	return path
}

// Call returns the syntax of a call, or nil.
func Call(files []*ast.File, call ssa.CallInstruction) *ast.CallExpr {
	if call == nil {
		return nil
	}
	pos := call.Common().Pos()
	for _, n := range Path(files, pos) {
		if c, ok := n.(*ast.CallExpr); ok && c.Lparen == pos {
			return c
		}
	}
	return nil
}

// Span returns where a finding about an instruction stands: for a call, the
// name of what is called.
func Span(files []*ast.File, instr ssa.Instruction) (pos, end token.Pos) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return instr.Pos(), token.NoPos
	}
	syntax := Call(files, call)
	if syntax == nil {
		return call.Common().Pos(), token.NoPos
	}
	fun := ast.Unparen(syntax.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		return sel.Sel.Pos(), sel.Sel.End()
	}
	return fun.Pos(), fun.End()
}

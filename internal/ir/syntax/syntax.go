// Package syntax leads from SSA back to the syntax that a finding is reported
// at and a fix edits.
package syntax

import (
	"go/ast"
	"go/token"

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
			path, _ := astutil.PathEnclosingInterval(file, pos, pos)
			return path
		}
	}
	return nil
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

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

// FileOf returns the file that a position lies in, or nil.
func FileOf(files []*ast.File, pos token.Pos) *ast.File {
	for _, file := range files {
		if file.FileStart <= pos && pos <= file.FileEnd {
			return file
		}
	}
	return nil
}

// Path returns the syntax around a position, innermost first, or nil.
func Path(files []*ast.File, pos token.Pos) []ast.Node {
	if file := FileOf(files, pos); file != nil && pos.IsValid() {
		return pathIn(file, pos)
	}
	return nil
}

// pathIn returns the syntax around a position of a file. It looks at the
// declaration that the position is in, and of a function at the statement, not at
// the thousands of others that there may be.
func pathIn(file *ast.File, pos token.Pos) []ast.Node {
	narrow := file
	whole := make(map[ast.Node]ast.Node) // of what only a part is looked at
	if i, found := around(file.Decls, pos); found {
		decls := []ast.Decl{file.Decls[i]}
		if fn, ok := decls[0].(*ast.FuncDecl); ok && fn.Body != nil {
			if i, found := around(fn.Body.List, pos); found {
				part, body := *fn, *fn.Body
				body.List = body.List[i : i+1]
				part.Body = &body
				decls[0] = &part
				whole[&part], whole[&body] = fn, fn.Body
			}
		}
		narrow = &ast.File{Package: file.Package, Name: file.Name, Decls: decls, FileStart: file.FileStart, FileEnd: file.FileEnd}
		whole[narrow] = file
	}
	path, _ := astutil.PathEnclosingInterval(narrow, pos, pos)
	for i, n := range path {
		if all := whole[n]; all != nil {
			path[i] = all
		}
	}
	return path
}

// around returns the index of the node that a position is in, of those that follow
// one another.
func around[N ast.Node](nodes []N, pos token.Pos) (int, bool) {
	return slices.BinarySearchFunc(nodes, pos, func(n N, pos token.Pos) int {
		switch {
		case n.End() <= pos:
			return -1
		case pos < n.Pos():
			return 1
		}
		return 0
	})
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

// Receiver returns the name of the type that a method belongs to, and whether its receiver is a
// pointer to that; "" for a function.
func Receiver(fn *ast.FuncDecl) (name string, pointer bool) {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return "", false
	}
	for t := fn.Recv.List[0].Type; ; {
		switch x := t.(type) {
		case *ast.StarExpr:
			t, pointer = x.X, true
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name, pointer
		default:
			return "", false
		}
	}
}

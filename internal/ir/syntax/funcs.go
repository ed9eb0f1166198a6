package syntax

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
)

// InitOf names what initialises a package: the variables' values and all of its init
// functions together.
func InitOf(pkg *types.Package) string { return pkg.Path() + ".init" }

// LiteralName names a function literal for the whole program, whichever process asks.
func LiteralName(pkg *types.Package, fset *token.FileSet, literal *ast.FuncLit) string {
	file := fset.File(literal.Pos())
	return fmt.Sprintf("%s@%s:%d", pkg.Path(), filepath.Base(file.Name()), file.Offset(literal.Pos()))
}

// FuncAt names the innermost function around a place of a file, or returns nothing if
// the place is in no function and no variable's value.
func FuncAt(pkg *types.Package, info *types.Info, fset *token.FileSet, file *ast.File, pos token.Pos) string {
	value := false
	for _, node := range pathIn(file, pos) {
		switch node := node.(type) {
		case *ast.FuncLit:
			return LiteralName(pkg, fset, node)
		case *ast.FuncDecl:
			if fn, ok := info.Defs[node.Name].(*types.Func); ok {
				return fn.FullName()
			}
			return ""
		case *ast.ValueSpec:
			value = len(node.Values) > 0
		}
	}
	if value {
		return InitOf(pkg)
	}
	return ""
}

// Package edit helps with the text edits of suggested fixes.
package edit

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/syntax"
)

// Qualifier returns what code at pos writes before the exported name of another
// package: "client." under an import, also a renamed one, and nothing under a dot
// import. It returns false if the file does not import the package, imports it
// for its side effects only, or means something else by the name at that place.
func Qualifier(pass *analysis.Pass, pos token.Pos, path, name string) (qualifier string, ok bool) {
	file := syntax.FileOf(pass.Files, pos)
	if file == nil {
		return "", false
	}
	for _, spec := range file.Imports {
		imported := pass.TypesInfo.PkgNameOf(spec)
		if imported == nil || imported.Imported().Path() != path {
			continue
		}
		switch imported.Name() {
		case "_":
		case ".":
			if obj := lookup(pass, pos, name); obj != nil && obj.Pkg() == imported.Imported() {
				return "", true
			}
		default:
			if lookup(pass, pos, imported.Name()) == imported {
				return imported.Name() + ".", true
			}
		}
	}
	return "", false
}

// Imports reports whether the file around pos imports a package, by whatever name.
func Imports(pass *analysis.Pass, pos token.Pos, path string) bool {
	file := syntax.FileOf(pass.Files, pos)
	return file != nil && slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		imported := pass.TypesInfo.PkgNameOf(spec)
		return imported != nil && imported.Imported().Path() == path
	})
}

// IsFree reports whether a name means nothing yet where pos is, so that an import
// of that name can be added to the file.
func IsFree(pass *analysis.Pass, pos token.Pos, name string) bool {
	return lookup(pass, pos, name) == nil
}

// lookup returns what a name means in code at pos.
func lookup(pass *analysis.Pass, pos token.Pos, name string) types.Object {
	scope := pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, pos)
	return obj
}

// IsBuiltin reports whether a name means what the language says where pos is.
func IsBuiltin(pass *analysis.Pass, pos token.Pos, name string) bool {
	_, builtin := lookup(pass, pos, name).(*types.Builtin)
	return builtin
}

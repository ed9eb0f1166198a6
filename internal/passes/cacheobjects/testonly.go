package cacheobjects

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// isForTests reports whether an entry is a method that runs in tests only: it is
// there because of an interface, and nothing but tests can make its receiver.
func (o *Objects) isForTests(entry *entrypoints.Entry) bool {
	recv := entry.Fn.Signature.Recv()
	if recv == nil || entry.Registered != entry.Fn.Pos() {
		return false
	}
	named := kubeapi.Named(recv.Type())
	return named != nil && named.Obj().Pkg() == o.pass.Pkg && !named.Obj().Exported() && !o.isMentioned(named.Obj(), nil)
}

// isMentioned reports whether the package's files, but those of tests, mention a
// type or function where that may lead to a value of the type: not in its own
// declaration and methods, in an assertion that it implements an interface, or in a
// function that is not mentioned itself.
func (o *Objects) isMentioned(obj types.Object, seen []types.Object) bool {
	if slices.Contains(seen, obj) {
		return false
	}
	seen = append(seen, obj)
	for id, used := range o.pass.TypesInfo.Uses {
		if used == obj && !strings.HasSuffix(o.pass.Fset.PositionFor(id.Pos(), false).Filename, "_test.go") && !o.isIdle(id.Pos(), obj, seen) {
			return true
		}
	}
	return false
}

// isIdle reports whether what lies at a position makes no value of a type.
func (o *Objects) isIdle(pos token.Pos, obj types.Object, seen []types.Object) bool {
	file := syntax.FileOf(o.pass.Files, pos)
	if file == nil {
		return false
	}
	for _, decl := range file.Decls {
		if decl.Pos() > pos || pos > decl.End() {
			continue
		}
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			fn, ok := o.pass.TypesInfo.Defs[decl.Name].(*types.Func)
			return ok && o.isIdleFunc(fn, obj, seen)
		case *ast.GenDecl:
			return isIdleDecl(decl, pos, o.pass.TypesInfo, obj)
		}
	}
	return false
}

func (o *Objects) isIdleFunc(fn *types.Func, obj types.Object, seen []types.Object) bool {
	if recv := fn.Signature().Recv(); recv != nil {
		named := kubeapi.Named(recv.Type())
		return named != nil && named.Obj() == obj
	}
	return !fn.Exported() && fn.Name() != "init" && fn.Name() != "main" && !o.isMentioned(fn, seen)
}

// isIdleDecl recognises the declaration of the object itself, and var _ I = T{}.
func isIdleDecl(decl *ast.GenDecl, pos token.Pos, info *types.Info, obj types.Object) bool {
	for _, spec := range decl.Specs {
		if spec.Pos() > pos || pos > spec.End() {
			continue
		}
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			return info.Defs[spec.Name] == obj
		case *ast.ValueSpec:
			return !slices.ContainsFunc(spec.Names, func(name *ast.Ident) bool { return name.Name != "_" })
		}
	}
	return false
}

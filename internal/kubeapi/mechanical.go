package kubeapi

import (
	"go/ast"
	"go/types"
)

// IsMechanical reports whether syntax alone shows that a function of a generated file
// serializes (see [Serializes]), copies (see [IsDeepCopy]) or describes types (see
// [DescribesTypes]), so that nobody need type-check what is in it.
func IsMechanical(fn *ast.FuncDecl) bool {
	params, results := fieldTypes(fn.Type.Params), fieldTypes(fn.Type.Results)
	if fn.Type.TypeParams != nil {
		return false
	}
	if fn.Recv == nil {
		return len(results) == 1 && describes(results[0])
	}
	switch fn.Name.Name {
	case "DeepCopy", "DeepCopyObject":
		return len(params) == 0 && len(results) == 1
	case "DeepCopyInto":
		return len(params) == 1 && len(results) == 0
	}
	want, ok := serializers[fn.Name.Name]
	return ok && areWritten(params, want.Params()) && areWritten(results, want.Results())
}

// areWritten reports whether types are those of some parameters or results.
func areWritten(all []ast.Expr, want *types.Tuple) bool {
	if len(all) != want.Len() {
		return false
	}
	for i, t := range all {
		if written(t) != want.At(i).Type().String() {
			return false
		}
	}
	return true
}

// fieldTypes returns the type of each parameter or result.
func fieldTypes(list *ast.FieldList) []ast.Expr {
	var all []ast.Expr
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			all = append(all, field.Type)
		}
	}
	return all
}

// written returns how go/types writes a basic type, or a slice of one.
func written(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		if t.Name == "byte" {
			return "uint8"
		}
		return t.Name
	case *ast.ArrayType:
		if elem, ok := t.Elt.(*ast.Ident); ok && t.Len == nil {
			return "[]" + written(elem)
		}
	}
	return ""
}

// describes reports whether a type is OpenAPIDefinition of another package, or a map to
// it.
func describes(t ast.Expr) bool {
	if m, ok := t.(*ast.MapType); ok {
		t = m.Value
	}
	sel, ok := t.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "OpenAPIDefinition"
}

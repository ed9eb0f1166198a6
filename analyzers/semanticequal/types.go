package semanticequal

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/semanticequal/internal/evidence"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/edit"
)

// partsThatMayLack returns the fields of a struct that can leave something out.
func partsThatMayLack(t types.Type) []string {
	s, ok := kubeapi.Deref(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var names []string
	for field := range s.Fields() {
		if evidence.MayLack(field.Type()) {
			names = append(names, field.Name())
		}
	}
	return names
}

func container(t types.Type) string {
	if _, ok := t.Underlying().(*types.Map); ok {
		return "map"
	}
	return "list"
}

// differInType reports whether two values were put into interfaces that have
// different types: such are never equal.
func differInType(x, y ssa.Value) bool {
	a, ok := x.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	b, ok := y.(*ssa.MakeInterface)
	return ok && !types.Identical(a.X.Type(), b.X.Type()) && !kubeapi.IsTypeParam(a.X.Type()) && !kubeapi.IsTypeParam(b.X.Type()) &&
		(kubeapi.IsOfKubernetes(a.X.Type()) || kubeapi.IsOfKubernetes(b.X.Type()))
}

func returnsBool(fn *ssa.Function) bool { return kubeapi.AnyIs(fn.Signature.Results(), kubeapi.IsBool) }

// isZero reports whether a value is nil, or a struct with nothing in it.
func isZero(v ssa.Value) bool {
	if c, ok := v.(*ssa.Const); ok {
		return c.Value == nil
	}
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	cell, ok := v.(*ssa.Alloc)
	return ok && !slices.ContainsFunc(*cell.Referrers(), func(ref ssa.Instruction) bool {
		_, load := ref.(*ssa.UnOp)
		return !load
	})
}

// isWritten reports whether a quantity is one that the program has written out.
func isWritten(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok || !kubeapi.ParsesQuantity(kubeapi.Callee(call.Common())) {
		return false
	}
	_, constant := call.Call.Args[0].(*ssa.Const)
	return constant
}

const equalityPath = "k8s.io/apimachinery/pkg/api/equality"

// semantic is the fix: the comparison that Kubernetes has, if the file imports
// it.
func (c *checker) semantic(call *ssa.Call) *analysis.SuggestedFix {
	expr := syntax.Call(c.pass.Files, call)
	if expr == nil || len(expr.Args) != 2 {
		return nil
	}
	if _, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr); !ok {
		return nil
	}
	qualifier, ok := edit.Qualifier(c.pass, expr.Pos(), equalityPath, "Semantic")
	if !ok {
		return nil
	}
	return &analysis.SuggestedFix{
		Message:   "Compare by equality.Semantic.DeepEqual",
		TextEdits: []analysis.TextEdit{{Pos: expr.Fun.Pos(), End: expr.Fun.End(), NewText: []byte(qualifier + "Semantic.DeepEqual")}},
	}
}

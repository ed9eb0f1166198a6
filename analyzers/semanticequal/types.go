package semanticequal

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/edit"
)

func container(t types.Type) string {
	if _, ok := t.Underlying().(*types.Map); ok {
		return "map"
	}
	return "list"
}

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

package finalizerpatch

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/finalizers"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/source"
)

// lock turns client.MergeFrom(x) into the constructor with the optimistic
// lock.
func (u *unit) lock(p finalizers.Patch) *analysis.SuggestedFix {
	if p.Made == nil {
		return nil
	}
	fn := kubeapi.Callee(p.Made.Common())
	call := source.Call(u.pass.Files, ssa.CallInstruction(p.Made))
	if fn == nil || call == nil || fn.Name() != "MergeFrom" || len(call.Args) != 1 {
		return nil
	}
	name := ast.Unparen(call.Fun)
	qualifier := ""
	var id *ast.Ident
	switch fun := name.(type) {
	case *ast.SelectorExpr:
		pkg, ok := fun.X.(*ast.Ident)
		if !ok {
			return nil
		}
		qualifier, id = pkg.Name+".", fun.Sel
	case *ast.Ident:
		id = fun
	default:
		return nil
	}
	after := call.Args[0].End()
	option := ", " + strings.TrimSpace(qualifier) + "MergeFromWithOptimisticLock{}"
	return &analysis.SuggestedFix{
		Message: "Send the patch with the optimistic lock",
		TextEdits: []analysis.TextEdit{
			{Pos: id.Pos(), End: id.End(), NewText: []byte("MergeFromWithOptions")},
			{Pos: after, End: after, NewText: []byte(option)},
		},
	}
}

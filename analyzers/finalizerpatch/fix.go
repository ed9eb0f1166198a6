package finalizerpatch

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
)

// lock turns client.MergeFrom(x) into the constructor with the optimistic
// lock. The version that this compares is that of x, which other writes of the
// object make an old one: there, each patch would fail.
func (u *unit) lock(at *paths.Node, p finalizers.Patch) *analysis.SuggestedFix {
	if p.Made == nil || u.writtenBefore(at, p.To) {
		return nil
	}
	fn := kubeapi.Callee(p.Made.Common())
	call := syntax.Call(u.pass.Files, ssa.CallInstruction(p.Made))
	if fn == nil || call == nil || fn.Name() != "MergeFrom" || len(call.Args) != 1 {
		return nil
	}
	qualifier := ""
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
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
	option := ", " + qualifier + "MergeFromWithOptimisticLock{}"
	return &analysis.SuggestedFix{
		Message: "Send the patch with the optimistic lock",
		TextEdits: []analysis.TextEdit{
			{Pos: id.Pos(), End: id.End(), NewText: []byte("MergeFromWithOptions")},
			{Pos: after, End: after, NewText: []byte(option)},
		},
	}
}

// writtenBefore reports whether anything else that leads to a patch writes its
// object, or another patch, perhaps the same one, follows.
func (u *unit) writtenBefore(at *paths.Node, o paths.Object) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		return s.Kind == objects.Written && s.Node != at && u.same(s.Place.Object, o) &&
			(u.Graph.Reaches(s.Node, at) || s.Write.Verb == kubeapi.Patch && u.Graph.Reaches(at, s.Node))
	})
}

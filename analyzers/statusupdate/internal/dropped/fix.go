package dropped

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// statusFix turns the main write into a status write, if the status is all
// that has changed and the client has the method.
func (u *unit) statusFix(set, write objects.Site) *analysis.SuggestedFix {
	if write.Via != nil || write.Write.Verb != kubeapi.Update || subject.IsParameter(set.Place.Object) || !u.onlyStatusChanged(set, write) {
		return nil
	}
	call := u.Syntax(write.Node)
	if call == nil {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != string(kubeapi.Update) {
		return nil
	}
	recv := u.Pass.TypesInfo.TypeOf(sel.X)
	if recv == nil {
		return nil
	}
	var text string
	switch {
	case hasStatusWriter(recv, u.Pass.Pkg) && len(call.Args) == 2:
		text = "Status().Update"
	case kubeapi.HasMethod(recv, "UpdateStatus"):
		text = "UpdateStatus"
	default:
		return nil
	}
	return &analysis.SuggestedFix{
		Message:   "Write the status with " + text,
		TextEdits: []analysis.TextEdit{{Pos: sel.Sel.Pos(), End: sel.Sel.End(), NewText: []byte(text)}},
	}
}

// onlyStatusChanged reports whether nothing but the status of the object is
// changed in this function, as far as it can tell.
func (u *unit) onlyStatusChanged(set, write objects.Site) bool {
	for _, s := range u.Sites {
		if !u.MayBe(s.Place.Object, set.Place.Object) || s.Node == write.Node {
			continue
		}
		isStatus := s.Place.Aspect() == kubeapi.Status
		if s.Kind == objects.Mutated && !isStatus || s.Kind == objects.Touched && (len(s.Place.Sub) == 0 || !isStatus) || s.Kind == objects.HandedOff {
			return false
		}
	}
	return true
}

// hasStatusWriter reports whether t has the Status method of
// controller-runtime's clients.
func hasStatusWriter(t types.Type, pkg *types.Package) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, "Status")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && kubeapi.HasMethod(sig.Results().At(0).Type(), "Update")
}

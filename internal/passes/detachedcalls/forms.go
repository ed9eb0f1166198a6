package detachedcalls

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// isListWatch reports whether fn, or a function around it, is one as cache.ListWatch
// has them: the signature of the old ones leaves no room for a context, and that of
// the new ones ends with the reflector only, which does not wait for them.
func isListWatch(fn *ssa.Function) bool {
	if fn.Parent() != nil && isListWatch(fn.Parent()) {
		return true
	}
	params, results := fn.Signature.Params(), fn.Signature.Results()
	n := params.Len()
	withContext := n == 2 && kubeapi.IsContext(params.At(0).Type()) && fn.Signature.Recv() == nil // methods are clients' as well
	return (n == 1 || withContext) && results.Len() == 2 && kubeapi.IsError(results.At(1).Type()) &&
		kubeapi.IsNamed(params.At(n-1).Type(), "k8s.io/apimachinery/pkg/apis/meta/v1", "ListOptions")
}

// isForm reports whether an instruction is all that its function does: it calls a
// sibling with the same parameters and a context, as old forms of functions do
// that have got one. Who has a context calls the sibling.
func isForm(instr ssa.CallInstruction) bool {
	call, ok := instr.(*ssa.Call)
	if !ok || len(call.Parent().Blocks) != 1 {
		return false
	}
	callee, fn := kubeapi.Callee(call.Common()), call.Parent()
	if callee == nil || fn.Object() == nil || callee.Pkg() != fn.Object().Pkg() {
		return false
	}
	old, recv := fn.Signature, callee.Signature().Recv()
	if (old.Recv() == nil) != (recv == nil) || recv != nil && !types.Identical(old.Recv().Type(), recv.Type()) {
		return false
	}
	params := callee.Signature().Params()
	if params.Len() != old.Params().Len()+1 || !kubeapi.IsContext(params.At(0).Type()) {
		return false
	}
	for i := range old.Params().Len() {
		if !types.Identical(old.Params().At(i).Type(), params.At(i+1).Type()) {
			return false
		}
	}
	return types.Identical(old.Results(), callee.Signature().Results())
}

// announces reports whether a function has the form of a logger's: it takes a
// format and its arguments, and answers nothing. What it tells, be it in an
// object's status, is told by the way; nobody hands a logger a context.
func announces(sig *types.Signature) bool {
	n := sig.Params().Len()
	if !sig.Variadic() || n < 2 || sig.Results().Len() > 0 {
		return false
	}
	format, ok := sig.Params().At(n - 2).Type().Underlying().(*types.Basic)
	if !ok || format.Kind() != types.String {
		return false
	}
	rest, ok := sig.Params().At(n - 1).Type().(*types.Slice)
	if !ok {
		return false
	}
	any, ok := rest.Elem().Underlying().(*types.Interface)
	return ok && any.Empty()
}

package stores

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// filledByHand reports whether an informer is known not to fill its store: it
// asks a fake clientset, or it was made here for its listers' sake and nobody
// lets it run.
func (i *Writes) filledByHand(informer ssa.Value) bool {
	made := makerOf(informer, 0)
	if made == nil {
		return false
	}
	if slices.ContainsFunc(made.Call.Args, func(arg ssa.Value) bool { return isFake(arg, 0) }) {
		return true
	}
	return staysStill(made, 0)
}

// makerOf is the call that made an informer, or the factory that it is from,
// in the same function; nil if it comes from elsewhere.
func makerOf(v ssa.Value, depth int) *ssa.Call {
	if depth > 10 {
		return nil
	}
	if x := kubeapi.Converted(v); x != nil {
		return makerOf(x, depth+1)
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	fn := kubeapi.Callee(call.Common())
	if fn == nil {
		return nil
	}
	if kubeapi.NewsInformers(fn) {
		return call
	}
	// factory.Core().V1().Pods().Informer()
	if recv, _ := kubeapi.Args(call.Common()); recv != nil {
		return makerOf(recv, depth+1)
	}
	return nil
}

// isFake reports whether a client serves objects from memory.
func isFake(v ssa.Value, depth int) bool {
	if depth > 6 {
		return false
	}
	if x := kubeapi.Converted(v); x != nil {
		return isFake(x, depth+1)
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	fn := kubeapi.Callee(call.Common())
	return fn != nil && kubeapi.IsFakeClientMaker(fn)
}

// staysStill reports whether a factory or informer, and what is got from it,
// stays in the function that makes it and is not started there.
func staysStill(v ssa.Value, depth int) bool {
	refs := v.Referrers()
	if refs == nil || depth > 8 {
		return false
	}
	for _, ref := range *refs {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeInterface:
			if !staysStill(ref, depth+1) {
				return false
			}
		case *ssa.Call:
			recv, args := kubeapi.Args(ref.Common())
			fn := kubeapi.Callee(ref.Common())
			if fn == nil || recv != v || slices.Contains(args, v) || kubeapi.StartsInformers(fn) {
				return false
			}
			if leadsOn(ref.Type()) && !staysStill(ref, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// leadsOn reports whether a value of type t gives access to an informer: an
// interface with methods that return another such interface or an informer.
// Listers and stores do not.
func leadsOn(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok || kubeapi.IsStore(t) {
		return false
	}
	if kubeapi.IsInformer(t) || kubeapi.HasMethod(t, "Informer") {
		return true
	}
	// The groups and versions of a factory: Core().V1().
	for m := range iface.Methods() {
		if results := m.Signature().Results(); results.Len() != 1 || !types.IsInterface(results.At(0).Type()) {
			return false
		}
	}
	return iface.NumMethods() > 0
}

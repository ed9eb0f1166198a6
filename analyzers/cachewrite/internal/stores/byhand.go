package stores

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// filledByHand reports whether an informer is known not to fill its store: it
// asks a fake clientset, or it was made here for its listers' sake and nobody
// lets it run.
func (i *Writes) filledByHand(informer ssa.Value) bool {
	made := i.makerOf(informer, 0)
	if made == nil {
		return false
	}
	if slices.ContainsFunc(made.Call.Args, func(arg ssa.Value) bool { return isFake(arg, 0) }) {
		return true
	}
	return i.staysStill(made, 0)
}

// makerOf is the call that made an informer, or the factory that it is from,
// in the same function or in the only one that calls it; nil if it comes from
// elsewhere.
func (i *Writes) makerOf(v ssa.Value, depth int) *ssa.Call {
	if depth > 10 {
		return nil
	}
	if same := i.Graph.Same(v); same != nil {
		return i.makerOf(same, depth+1)
	}
	if p, ok := v.(*ssa.Parameter); ok {
		if args := i.arguments(p); len(args) == 1 {
			return i.makerOf(args[0], depth+1)
		}
		return nil
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
		return i.makerOf(recv, depth+1)
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

// arguments are what a function that only this package calls gets as a parameter;
// nil if others may call it.
func (i *Writes) arguments(p *ssa.Parameter) []ssa.Value {
	args, closed := i.Graph.Arguments(p)
	if !closed || p.Parent().Object() == nil {
		return nil
	}
	return calls.Values(args)
}

// staysStill reports whether a factory or informer, and what is got from it,
// stays in the function that makes it, its literals, and functions of the package
// that get it, and is not started there.
func (i *Writes) staysStill(v ssa.Value, depth int) bool {
	refs := v.Referrers()
	if refs == nil || depth > 8 {
		return false
	}
	for _, ref := range *refs {
		var on ssa.Value
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeInterface:
			on = ref
		case *ssa.Store:
			cell, ok := ref.Addr.(*ssa.Alloc)
			if !ok {
				return false
			}
			if ref.Val == v && !i.cellStaysStill(cell, depth+1) {
				return false
			}
		case *ssa.Call:
			recv, args := kubeapi.Args(ref.Common())
			fn := kubeapi.Callee(ref.Common())
			if slices.Contains(args, v) {
				if !i.handedStaysStill(ref, v, depth+1) {
					return false
				}
				continue
			}
			if fn == nil || recv != v || kubeapi.StartsInformers(fn) {
				return false
			}
			if leadsOn(ref.Type()) {
				on = ref
			}
		default:
			return false
		}
		if on != nil && !i.staysStill(on, depth+1) {
			return false
		}
	}
	return true
}

// cellStaysStill is staysStill for what a variable holds, also where literals
// have captured it.
func (i *Writes) cellStaysStill(cell ssa.Value, depth int) bool {
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store, *ssa.DebugRef:
		case *ssa.UnOp:
			if !i.staysStill(ref, depth) {
				return false
			}
		case *ssa.MakeClosure:
			literal := ref.Fn.(*ssa.Function)
			if !i.cellStaysStill(literal.FreeVars[slices.Index(ref.Bindings, cell)], depth) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// handedStaysStill is staysStill for an argument of a call.
func (i *Writes) handedStaysStill(call *ssa.Call, v ssa.Value, depth int) bool {
	targets := i.Graph.Callees(call)
	operands := kubeapi.Operands(call.Common())
	if len(targets.Funcs) != 1 || len(operands) != len(targets.Funcs[0].Params) {
		return false
	}
	for n, operand := range operands {
		if operand == v && !i.staysStill(targets.Funcs[0].Params[n], depth) {
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

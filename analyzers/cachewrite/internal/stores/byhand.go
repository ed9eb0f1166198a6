package stores

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
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
	return slices.ContainsFunc(made.Call.Args, func(arg ssa.Value) bool { return isFake(arg, 0) }) || i.staysStill(made)
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
	if x := kubeapi.Converted(v); x != nil {
		return depth < 6 && isFake(x, depth+1)
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
func (i *Writes) staysStill(made ssa.Value) bool {
	of := values.Relation{Calls: i.Graph, Steps: values.Converted | values.Held | values.Given, Onward: func(v ssa.Value, use ssa.Instruction) []ssa.Value {
		if call, ok := use.(*ssa.Call); ok && isStill(call, v) && leadsOn(call.Type()) {
			return []ssa.Value{call}
		}
		return nil
	}}
	for v, use := range of.Uses(made) {
		if call, ok := use.(*ssa.Call); !ok || !isStill(call, v) {
			return false
		}
	}
	return true
}

// isStill reports whether a call is of a method of v that starts nothing.
func isStill(call *ssa.Call, v ssa.Value) bool {
	recv, args := kubeapi.Args(call.Common())
	fn := kubeapi.Callee(call.Common())
	return fn != nil && recv == v && !slices.Contains(args, v) && !kubeapi.StartsInformers(fn)
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

package repeats

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// kept reports whether what a call returns is put where the next call can find
// it.
func (f *finder) kept(call ssa.CallInstruction) bool {
	value, ok := call.(*ssa.Call)
	return ok && f.keeps(value, make(map[ssa.Value]bool))
}

func (f *finder) keeps(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil || len(seen) > 60 {
		return false
	}
	seen[v] = true
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Extract:
			if !kubeapi.IsError(ref.Type()) && f.keeps(ref, seen) {
				return true
			}
		case *ssa.Phi, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.TypeAssert, *ssa.UnOp:
			if f.keeps(ref.(ssa.Value), seen) {
				return true
			}
		case *ssa.MapUpdate:
			if _, isLocal := ref.Map.(*ssa.MakeMap); ref.Value == v && !isLocal {
				return true
			}
		case *ssa.Send:
			return ref.X == v
		case *ssa.Store:
			if ref.Val == v && f.storeKeeps(ref.Addr, seen) {
				return true
			}
		case ssa.CallInstruction:
			if f.callKeeps(ref, v, seen) {
				return true
			}
		}
	}
	return false
}

// storeKeeps reports whether what is stored at an address outlives the call:
// the address is not that of a local variable, or that variable does.
func (f *finder) storeKeeps(addr ssa.Value, seen map[ssa.Value]bool) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			if f.closed[calls.FieldAt(a)] {
				return true
			}
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Alloc, *ssa.Call, *ssa.Extract:
			return f.keeps(a, seen) // a variable, or a struct that a function has made
		default:
			return true
		}
	}
}

// closedFields are the fields with clients of which the package closes the idle
// connections, wherever it does so: whoever has the struct sees to it.
func closedFields(graph *calls.Graph) map[*types.Var]bool {
	closed := make(map[*types.Var]bool)
	for _, fn := range graph.Funcs {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			if !kubeapi.ClosesConnections(kubeapi.Callee(call.Common())) {
				continue
			}
			if recv, _ := kubeapi.Args(call.Common()); recv != nil {
				if field := cmp.Or(calls.LoadedField(recv), calls.FieldAt(recv)); field != nil {
					closed[field] = true
				}
			}
		}
	}
	return closed
}

// callKeeps reports whether a call puts v somewhere, returns what has it and is
// kept, or lets go of its connections.
func (f *finder) callKeeps(call ssa.CallInstruction, v ssa.Value, seen map[ssa.Value]bool) bool {
	callee := kubeapi.Callee(call.Common())
	if kubeapi.ClosesConnections(callee) {
		return true
	}
	if _, args := kubeapi.Args(call.Common()); !slices.Contains(args, v) {
		return false
	}
	result, ok := call.(*ssa.Call)
	return kubeapi.KeepsArgument(callee) || ok && f.keeps(result, seen)
}

// returnsResult reports whether the function of an instruction returns what that
// makes, as it is or in a struct.
func (f *finder) returnsResult(instr ssa.Instruction) bool {
	value, ok := instr.(ssa.Value)
	return ok && isReturned(value, make(map[ssa.Value]bool))
}

func isReturned(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil || len(seen) > 60 {
		return false
	}
	seen[v] = true
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Return:
			return true
		case *ssa.Extract:
			if !kubeapi.IsError(ref.Type()) && isReturned(ref, seen) {
				return true
			}
		case *ssa.Phi, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.TypeAssert, *ssa.UnOp:
			if isReturned(ref.(ssa.Value), seen) {
				return true
			}
		case *ssa.Store:
			if ref.Val != v {
				continue
			}
			addr := ref.Addr
			for field, ok := addr.(*ssa.FieldAddr); ok; field, ok = addr.(*ssa.FieldAddr) {
				addr = field.X
			}
			if local, ok := addr.(*ssa.Alloc); ok && isReturned(local, seen) {
				return true
			}
		}
	}
	return false
}

// idle reports whether a factory of informers is only asked for listers, and nothing starts it:
// nothing is listed.
func (f *finder) idle(made ssa.CallInstruction) bool {
	v, ok := made.(*ssa.Call)
	if !ok || blocks.Any(paths.Outermost(made.Parent()), func(call ssa.CallInstruction) bool {
		op, ok := kubeapi.InformerOpOf(call)
		return ok && (op.Verb == kubeapi.StartFactory || op.Verb == kubeapi.RunInformer || op.Verb == kubeapi.RequestInformer && !op.Lister)
	}) {
		return false
	}
	for _, use := range (values.Relation{Calls: f.graph, Steps: values.Local}).Uses(v) {
		call, ok := use.(ssa.CallInstruction)
		if !ok {
			return false
		}
		if recv, args := kubeapi.Args(call.Common()); recv == nil || slices.Contains(args, ssa.Value(v)) {
			return false
		}
	}
	return true
}

package repetitions

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Own reports whether what a value at the instruction belongs to is made on the way there, as
// far as is known, so that each time has one of its own: the factory of an informer, the client
// that has the factory, the struct that has the client.
func (r *Repetition) Own(graph *calls.Graph, at ssa.CallInstruction, v ssa.Value) bool {
	sites := append(r.chain[:len(r.chain):len(r.chain)], at)
	for depth := range 2 * len(sites) {
		v = holder(graph, v)
		param, ok := v.(*ssa.Parameter)
		if !ok {
			_, made := v.(*ssa.Call)
			return made && depth > 0
		}
		last := len(sites) - 1
		for last >= 0 && sites[last].Parent() != param.Parent() {
			last--
		}
		if last <= 0 {
			return false // whoever runs it again and again has it
		}
		if v = calls.ArgumentOf(sites[last-1], param); v == nil {
			return true
		}
		sites = sites[:last]
	}
	return false
}

// mayFail reports whether a call may answer with an error: what has accessors does not, and what makes
// something from a configuration does.
func mayFail(call *ssa.Call) bool {
	results := call.Call.Signature().Results()
	return results.Len() > 1 && kubeapi.IsError(results.At(results.Len()-1).Type())
}

// holder follows a value to what it is a part of, as far as that is a parameter or the result of
// a function.
func holder(graph *calls.Graph, v ssa.Value) ssa.Value {
	for {
		v = kubeapi.Unconverted(v)
		switch part := v.(type) {
		case *ssa.UnOp:
			if part.Op != token.MUL {
				return v
			}
			v = part.X
		case *ssa.FieldAddr:
			made, ok := part.X.(*ssa.Alloc)
			if !ok {
				v = part.X
				continue
			}
			stored := calls.StoredInField(made, part.Field)
			if len(stored) != 1 {
				return v
			}
			v = stored[0]
		case *ssa.Field:
			v = part.X
		case *ssa.FreeVar:
			bound := graph.Binding(part)
			if bound == nil {
				return v
			}
			v = bound
		case *ssa.Alloc:
			stored := calls.StoredInto(part)
			if len(stored) != 1 {
				return v
			}
			v = stored[0]
		default:
			call, _ := calls.CallOf(v)
			switch {
			case call == nil:
				return v
			case call.Call.Signature().Recv() == nil && !call.Call.IsInvoke(), mayFail(call):
				return call
			}
			v = kubeapi.Operands(&call.Call)[0]
		}
	}
}

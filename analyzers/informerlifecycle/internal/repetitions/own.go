package repetitions

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Own reports whether what a value at the instruction belongs to is made on the way there, as
// far as is known, so that each time has one of its own: the factory of an informer, the client
// that has the factory, the struct that has the client.
func (r *Repetition) Own(graph *calls.Graph, at ssa.CallInstruction, v ssa.Value) bool {
	holder := values.Relation{Calls: graph, Steps: values.Local | values.Selected, More: belongsTo}
	sites := append(r.chain[:len(r.chain):len(r.chain)], at)
	for depth := 0; ; depth++ {
		param, ok := holder.End(v).(*ssa.Parameter)
		if !ok {
			call, _ := calls.CallOf(holder.End(v))
			return call != nil && depth > 0
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
}

// belongsTo steps from a field of a struct that is made here to what is stored in it, from an
// element of a literal to that, and from what an accessor returns to what has the accessor. What may fail is none: it makes something.
func belongsTo(v ssa.Value) []ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok {
		if field, ok := load.X.(*ssa.FieldAddr); ok {
			if made, ok := field.X.(*ssa.Alloc); ok {
				return calls.StoredInField(made, field.Field)
			}
		}
		if element, ok := load.X.(*ssa.IndexAddr); ok {
			elements, _ := kubeapi.VariadicArgs(element.X)
			return elements
		}
		return nil
	}
	call, _ := calls.CallOf(v)
	if call == nil || call.Call.Signature().Recv() == nil && !call.Call.IsInvoke() || kubeapi.CanFail(call.Call.Signature()) {
		return nil
	}
	return kubeapi.Operands(&call.Call)[:1]
}

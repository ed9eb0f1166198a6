package goroutines

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// stateKey names a piece of state that outlives a call: a struct field of any
// value or a package-level variable (a types.Object), or a variable captured
// by a literal that is kept (an *ssa.Alloc).
type stateKey any

// stateOf returns the field or package-level variable that v, a value or an
// address, is or lies in; nil if that is part of an API object, whose state
// comes from the server, or if there is none.
func (a *analysisState) stateOf(v ssa.Value) stateKey {
	key, ok := a.states[v]
	if !ok {
		key = a.findState(v)
		a.states[v] = key
	}
	return key
}

func (a *analysisState) findState(v ssa.Value) stateKey {
	var key stateKey
	of := values.Relation{Calls: a.graph, Steps: values.Same | values.Held | values.Taken, Until: isWaitedFor, More: a.keeper}
	for v := range of.Chain(v) {
		switch x := v.(type) {
		case *ssa.FieldAddr, *ssa.Field:
			whole := (*x.(ssa.Instruction).Operands(nil)[0]).Type()
			if field := calls.FieldAt(v); key == nil && field != nil {
				key = field
			}
			if isAPIType(whole) {
				return nil
			}
		case *ssa.Global:
			if key == nil && x.Object() != nil {
				key = x.Object()
			}
		case *ssa.Call:
			// What a registry hands out belongs to it: r.running.Load(key).
			if key != nil || len(a.graph.Callees(x).Funcs) > 0 {
				return key
			}
			if a.registry(x) == nil {
				return nil
			}
		}
	}
	return key
}

// keeper returns what has a value: the only thing that is stored into the variable, or the
// registry that hands it out.
func (a *analysisState) keeper(v ssa.Value) []ssa.Value {
	var found ssa.Value
	switch v := v.(type) {
	case *ssa.UnOp:
		if cell := a.cell(v.X); cell != nil {
			found = onlyStore(cell)
		}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			found = call
		}
	case *ssa.Call:
		found = a.registry(v)
	}
	if found == nil {
		return nil
	}
	return []ssa.Value{found}
}

// registry returns what a call asks for what it remembers, or nil.
func (a *analysisState) registry(call *ssa.Call) ssa.Value {
	recv, args := kubeapi.Args(call.Common())
	if recv == nil || !asksMemory(kubeapi.Callee(call.Common()), args) {
		return nil
	}
	return recv
}

// isAPIType reports whether t is, or points to, an API object or a part of
// one: they come with generated deep copies.
func isAPIType(t types.Type) bool {
	if kubeapi.IsObject(t) {
		return true
	}
	named := kubeapi.Named(t)
	return named != nil && kubeapi.HasMethod(types.NewPointer(named), "DeepCopyInto")
}

package goroutines

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
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
	var key stateKey
	for range maxTrace {
		// A switch of its own: the first field on the way names the state, and a registry on it ends it.
		switch x := v.(type) {
		case *ssa.FieldAddr:
			if key == nil {
				key = fieldKey(x.X.Type(), x.Field)
			}
			if isAPIType(x.X.Type()) {
				return nil
			}
			v = x.X
		case *ssa.Field:
			if key == nil {
				key = fieldKey(x.X.Type(), x.Field)
			}
			if isAPIType(x.X.Type()) {
				return nil
			}
			v = x.X
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return key
			}
			if cell := a.cell(x.X); cell != nil {
				stored := onlyStore(cell)
				if stored == nil {
					return key
				}
				v = stored
				continue
			}
			v = x.X
		case *ssa.Global:
			if key == nil && x.Object() != nil {
				key = x.Object()
			}
			return key
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Lookup:
			v = x.X
		case *ssa.Extract:
			switch tuple := x.Tuple.(type) {
			case *ssa.Lookup:
				v = tuple.X
			case *ssa.TypeAssert:
				v = tuple.X
			case *ssa.Call:
				v = tuple
			default:
				return key
			}
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.TypeAssert:
			v = x.X
		case *ssa.FreeVar:
			binding := a.graph.Binding(x)
			if binding == nil {
				return key
			}
			v = binding
		case *ssa.Call:
			// What a registry hands out belongs to it: r.running.Load(key).
			if key != nil || len(a.graph.Callees(x).Funcs) > 0 {
				return key
			}
			recv, args := kubeapi.Args(x.Common())
			if recv == nil || !asksMemory(kubeapi.Callee(x.Common()), args) {
				return nil
			}
			v = recv
		default:
			return key
		}
	}
	return key
}

func fieldKey(t types.Type, index int) stateKey {
	field := calls.FieldOf(t, index)
	if field == nil {
		return nil
	}
	return field
}

// isAPIType reports whether t is, or points to, an API object or a part of
// one: they come with generated deep copies.
func isAPIType(t types.Type) bool {
	if kubeapi.IsObject(t) {
		return true
	}
	named := kubeapi.Named(t)
	if named == nil {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), "DeepCopyInto")
	_, ok := obj.(*types.Func)
	return ok
}

package cacheobjects

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// StoreKind tells whose a store or indexer is.
type StoreKind uint8

// Whose a store can be.
const (
	UnknownStore StoreKind = iota
	LiveStore              // an informer's, or filled by a reflector
	OwnStore               // made by the program, for its own purposes
)

// stores has what the package puts into its variables and fields of store
// type.
type stores struct {
	fields  map[*types.Var][]ssa.Value
	globals map[*ssa.Global][]ssa.Value
	// reflected are the fields whose stores are handed to a reflector.
	reflected map[*types.Var]bool
}

func (o *Objects) findStores() {
	o.stores = stores{
		fields: make(map[*types.Var][]ssa.Value), globals: make(map[*ssa.Global][]ssa.Value), reflected: make(map[*types.Var]bool),
	}
	for _, fn := range o.Calls.All() {
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.Store:
				if !kubeapi.IsStore(instr.Val.Type()) {
					continue
				}
				switch addr := instr.Addr.(type) {
				case *ssa.FieldAddr:
					if field := calls.FieldOf(addr.X.Type(), addr.Field); field != nil {
						o.stores.fields[field] = append(o.stores.fields[field], instr.Val)
					}
				case *ssa.Global:
					o.stores.globals[addr] = append(o.stores.globals[addr], instr.Val)
				}
			case ssa.CallInstruction:
				if fn := kubeapi.Callee(instr.Common()); fn != nil {
					if i := kubeapi.ReflectsInto(fn); i >= 0 {
						if field := calls.LoadedField(kubeapi.Unconverted(instr.Common().Args[i])); field != nil {
							o.stores.reflected[field] = true
						}
					}
				}
			}
		}
	}
}

// Store tells whose store v is.
func (o *Objects) Store(v ssa.Value) StoreKind { return o.storeKind(v, 0) }

func (o *Objects) storeKind(v ssa.Value, depth int) StoreKind {
	if v == nil || depth > 8 {
		return UnknownStore
	}
	all := func(vs []ssa.Value) StoreKind {
		kind, _ := values.Agree(vs, func(v ssa.Value) StoreKind { return o.storeKind(v, depth+1) })
		return kind
	}
	v = kubeapi.Unconverted(v)
	if call, index := calls.CallOf(v); call != nil {
		return o.storeOfCall(call, index, depth)
	}
	of := values.Relation{Calls: o.Calls, Steps: values.Local | values.Given, More: values.Stored}
	if from, _ := of.Sources(v); len(from) > 0 {
		return all(from)
	}
	if field := calls.LoadedField(v); field != nil {
		return o.storeOfField(field, all)
	}
	if load, ok := v.(*ssa.UnOp); ok {
		if global, ok := load.X.(*ssa.Global); ok {
			return all(o.stores.globals[global])
		}
	}
	return UnknownStore
}

func (o *Objects) storeOfField(field *types.Var, all func([]ssa.Value) StoreKind) StoreKind {
	if o.stores.reflected[field] {
		return LiveStore
	}
	return all(o.stores.fields[field])
}

func (o *Objects) storeOfCall(call *ssa.Call, index, depth int) StoreKind {
	fn := kubeapi.Callee(call.Common())
	switch {
	case fn == nil:
	case kubeapi.IsInformerStore(fn):
		return LiveStore
	case index == 0 && kubeapi.NewsInformerStore(fn):
		return LiveStore
	case kubeapi.NewsStore(fn):
		// One that is handed to a reflector is as live as an informer's.
		for use := range blocks.UsesOf[ssa.CallInstruction](call) {
			if fn := kubeapi.Callee(use.Common()); fn != nil && kubeapi.ReflectsInto(fn) >= 0 {
				return LiveStore
			}
		}
		return OwnStore
	}
	results, _ := o.Calls.Results(call, index)
	for _, result := range results {
		if kind := o.storeKind(result, depth+2); kind != UnknownStore {
			return kind
		}
	}
	return UnknownStore
}

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

// findReflected finds the fields whose stores are handed to a reflector.
func (o *Objects) findReflected() {
	o.reflected = make(map[*types.Var]bool)
	for _, fn := range o.Calls.All() {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			fn := kubeapi.Callee(call.Common())
			if fn == nil {
				continue
			}
			if i := kubeapi.ReflectsInto(fn); i >= 0 {
				if field := calls.LoadedField(kubeapi.Unconverted(call.Common().Args[i])); field != nil {
					o.reflected[field] = true
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
	if field := calls.LoadedField(v); field != nil && o.reflected[field] {
		return LiveStore
	}
	return all(o.Calls.Stored(calls.Loaded(v)))
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

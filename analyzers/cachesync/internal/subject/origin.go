package subject

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Key identifies a factory or informer: the field or variable that holds it,
// or the call that makes it.
func Key(v ssa.Value) any {
	made := values.Relation{More: func(v ssa.Value) []ssa.Value {
		if call, ok := v.(*ssa.Call); ok {
			if op, ok := kubeapi.InformerOpOf(call); ok && op.Verb == kubeapi.RequestInformer && op.Factory != nil {
				return []ssa.Value{op.Factory}
			}
		}
		if behind := calls.Behind(v); behind != v {
			return []ssa.Value{behind}
		}
		return nil
	}}
	switch v := made.End(v).(type) {
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.FieldAddr:
			return calls.FieldOf(addr.X.Type(), addr.Field)
		case *ssa.Alloc, *ssa.FreeVar:
			return addr
		}
	case *ssa.Parameter, *ssa.Call:
		return v
	}
	return nil
}

// ListerSource is the key of the factory or informer that a lister or store
// belongs to, as far as that can be seen in one function.
func (c *Checker) ListerSource(v ssa.Value) any {
	for range 10 {
		call, ok := calls.Behind(v).(*ssa.Call)
		if !ok {
			return nil
		}
		if op, ok := kubeapi.InformerOpOf(call); ok {
			if op.Verb == kubeapi.RequestInformer && op.Factory != nil {
				return Key(op.Factory)
			}
			return Key(call)
		}
		recv, _ := kubeapi.Args(call.Common())
		if recv == nil {
			return nil
		}
		if callee := kubeapi.Callee(call.Common()); callee != nil && kubeapi.IsInformerStore(callee) {
			return Key(recv)
		}
		v = recv
	}
	return nil
}

// MadeInPackage reports whether the factory or informer behind a lister is made
// in this package, so that nobody else can have started it before.
func (c *Checker) MadeInPackage(lister ssa.Value) bool {
	switch source := c.ListerSource(lister).(type) {
	case *ssa.Call:
		return makesInformers(source)
	case *types.Var:
		return source.Pkg() == c.Pass.Pkg && c.isMade(source)
	}
	return false
}

func makesInformers(call *ssa.Call) bool {
	op, ok := kubeapi.InformerOpOf(call)
	return ok && (op.Verb == kubeapi.NewFactory || op.Verb == kubeapi.NewInformer)
}

// isMade reports whether all that the package stores into a field are factories
// and informers that it makes.
func (c *Checker) isMade(field *types.Var) bool {
	stored := c.Graph.Stored(field)
	return len(stored) > 0 && !slices.ContainsFunc(stored, func(v ssa.Value) bool {
		made, ok := Key(v).(*ssa.Call)
		return !ok || !makesInformers(made)
	})
}

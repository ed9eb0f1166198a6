// Package origins tells where an object comes from: from the API server or an
// informer's cache, from the code itself, or from a caller that is not known.
package origins

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Origin is where an object comes from.
type Origin uint8

const (
	// Elsewhere is not known: other packages, fields.
	Elsewhere Origin = iota
	// Made in the code, so that its content is what the code says.
	Made
	// Given by a caller that is not known.
	Given
	// Server is the API server, or an informer's cache of what it has sent.
	Server
)

// maxDepth bounds how far values are followed.
const maxDepth = 24

// Tracer follows the objects of one package to where they come from.
type Tracer struct {
	Calls   *calls.Graph
	Entries *entrypoints.Result
}

// Of tells where the object that v is, or points to, comes from.
func (k *Tracer) Of(v ssa.Value) Origin { return k.trace(v, 0) }

func (k *Tracer) trace(v ssa.Value, depth int) Origin {
	if depth > maxDepth || v == nil {
		return Elsewhere
	}
	if x := kubeapi.Converted(v); x != nil {
		return k.trace(x, depth+1)
	}
	switch v := v.(type) {
	case *ssa.FieldAddr, *ssa.Field:
		return k.part(v, depth)
	case *ssa.IndexAddr:
		return k.trace(v.X, depth+1)
	case *ssa.Index:
		return k.trace(v.X, depth+1)
	case *ssa.Slice:
		return k.trace(v.X, depth+1)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return Elsewhere
		}
		return k.variable(v.X, depth)
	case *ssa.Alloc:
		return k.variable(v, depth)
	case *ssa.FreeVar:
		return k.variable(v, depth)
	case *ssa.Phi:
		var found []Origin
		for _, edge := range v.Edges {
			if c, ok := edge.(*ssa.Const); ok && c.IsNil() {
				continue
			}
			found = append(found, k.trace(edge, depth+4))
		}
		return agreed(found)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return k.result(call, v.Index, depth)
		}
	case *ssa.Call:
		return k.result(v, 0, depth)
	case *ssa.Parameter:
		return k.passed(v, depth)
	}
	return Elsewhere
}

// part follows a field: the items of a list, or the object in an event.
func (k *Tracer) part(v ssa.Value, depth int) Origin {
	var x ssa.Value
	var index int
	switch v := v.(type) {
	case *ssa.FieldAddr:
		x, index = v.X, v.Field
	case *ssa.Field:
		x, index = v.X, v.Field
	}
	field := calls.FieldOf(x.Type(), index)
	if field == nil {
		return Elsewhere
	}
	if field.Name() == "Items" && kubeapi.IsList(x.Type()) {
		return k.trace(x, depth+1)
	}
	if field.Name() == "Object" && kubeapi.IsNamed(x.Type(), "k8s.io/apimachinery/pkg/watch", "Event") {
		return Server
	}
	if p, ok := x.(*ssa.Parameter); ok && k.IsSent(p) && (field.Name() == "Object" || field.Name() == "ObjectNew" || field.Name() == "ObjectOld") {
		return Server
	}
	return Elsewhere
}

// variable tells where the object in a variable comes from: from a client that
// it was handed to, or from what was stored.
func (k *Tracer) variable(addr ssa.Value, depth int) Origin {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return k.part(addr, depth+1)
	case *ssa.IndexAddr:
		return k.trace(addr.X, depth+1)
	case *ssa.FreeVar:
		return k.variable(k.Calls.Binding(addr), depth+1)
	case *ssa.Alloc:
		if k.filledByClient(addr) {
			return Server
		}
		t := addr.Type().(*types.Pointer).Elem()
		if _, pointer := t.Underlying().(*types.Pointer); !pointer {
			if kubeapi.IsObject(types.NewPointer(t)) || kubeapi.IsList(t) {
				if stored := calls.StoredInto(addr); len(stored) == 1 {
					return k.trace(stored[0], depth+1) // a copy of the struct
				}
				return Made
			}
		}
		var found []Origin
		for _, stored := range calls.StoredInto(addr) {
			if c, ok := stored.(*ssa.Const); ok && c.IsNil() {
				continue
			}
			found = append(found, k.trace(stored, depth+4))
		}
		return agreed(found)
	}
	return Elsewhere
}

// filledByClient reports whether a variable is handed to a client, which
// stores the API server's answer in it.
func (k *Tracer) filledByClient(addr ssa.Value) bool {
	refs := addr.Referrers()
	if refs == nil {
		return false
	}
	for _, ref := range *refs {
		switch ref := ref.(type) {
		case *ssa.MakeInterface:
			if k.filledByClient(ref) {
				return true
			}
		case ssa.CallInstruction:
			if op, ok := kubeapi.ClientOp(ref.Common()); ok && op.Object == addr && op.Verb.Reads() {
				return true
			}
		}
	}
	return false
}

// result tells where a call's result comes from.
func (k *Tracer) result(call *ssa.Call, index, depth int) Origin {
	common := call.Common()
	if _, ok := kubeapi.ClientOp(common); ok && index == 0 {
		return Server
	}
	if index == 0 && kubeapi.ReadsCache(common) {
		return Server
	}
	callee := kubeapi.Callee(common)
	if callee != nil {
		if kubeapi.IsDeepCopy(callee) {
			recv, _ := kubeapi.Args(common)
			return k.trace(recv, depth+1)
		}
		if kubeapi.IsTypedList(callee) && index == 0 {
			return Server
		}
		if kubeapi.IsListerGet(callee) || kubeapi.IsListerList(callee) {
			return Server
		}
	}
	if depth > maxDepth/2 {
		return Elsewhere
	}
	results, closed := k.Calls.Results(call, index)
	if !closed {
		return Elsewhere
	}
	var found []Origin
	for _, result := range results {
		if !calls.IsNil(result) {
			found = append(found, k.trace(result, depth+6))
		}
	}
	return agreed(found)
}

// passed tells where a parameter's object comes from: by the place where the
// ecosystem calls the function, or by its callers.
func (k *Tracer) passed(p *ssa.Parameter, depth int) Origin {
	if k.IsSent(p) {
		return Server
	}
	args, closed := k.Calls.Arguments(p)
	if len(args) == 0 || depth > maxDepth/2 {
		return Given
	}
	var found []Origin
	for _, arg := range args {
		found = append(found, k.trace(arg.Value, depth+6))
	}
	if slices.Contains(found, Server) {
		return Server
	}
	if !closed && !slices.Contains(found, Made) && !slices.Contains(found, Elsewhere) {
		return Given
	}
	return agreed(found)
}

// IsSent reports whether a parameter is the object, or the event with it, that
// an informer calls a handler with, or that a reconciler or webhook is called for.
func (k *Tracer) IsSent(p *ssa.Parameter) bool {
	for _, entry := range k.Entries.Of(p.Parent()) {
		switch entry.Kind {
		case kubeapi.EventHandler, kubeapi.Predicate, kubeapi.MapFunc, kubeapi.Reconcile:
			if slices.Contains(entry.Objects(), p) {
				return true
			}
		case kubeapi.Admission:
			// A webhook in the old style is a method of the kind itself.
			if slices.Contains(entry.Objects(), p) || p == p.Parent().Params[0] && kubeapi.IsObject(p.Type()) {
				return true
			}
		}
	}
	return false
}

// agreed is the one Origin that several ways agree on.
func agreed(found []Origin) Origin {
	if len(found) == 0 {
		return Elsewhere
	}
	for _, o := range found[1:] {
		if o != found[0] {
			return Elsewhere
		}
	}
	return found[0]
}

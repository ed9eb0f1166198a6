// Package origins tells where an object comes from: from the API server or an
// informer's cache, from the code itself, or from a caller that is not known.
package origins

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
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
	if local, ok := v.(*ssa.Alloc); ok {
		return k.variable(local, depth)
	}
	if call, index := calls.CallOf(v); call != nil && kubeapi.Converted(v) == nil {
		return k.result(call, index, depth)
	}
	of := values.Relation{Calls: k.Calls, Steps: values.Same | values.Held | values.Address, More: listOf}
	if from, _ := of.Sources(v); len(from) == 1 {
		return k.trace(from[0], depth+1)
	}
	if calls.FieldAt(v) != nil {
		return k.part(v, depth)
	}
	switch v := v.(type) {
	case *ssa.Phi:
		return k.oneOf(v.Edges, depth)
	case *ssa.Parameter:
		return k.passed(v, depth)
	}
	return Elsewhere
}

// listOf returns the list that a value is an element, or a part, of.
func listOf(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.IndexAddr:
		return []ssa.Value{v.X}
	case *ssa.Index:
		return []ssa.Value{v.X}
	case *ssa.Slice:
		return []ssa.Value{v.X}
	}
	return nil
}

// oneOf tells where an object comes from that is one of several.
func (k *Tracer) oneOf(values []ssa.Value, depth int) Origin {
	var found []Origin
	for _, v := range values {
		if !calls.IsNil(v) {
			found = append(found, k.trace(v, depth+4))
		}
	}
	return agreed(found)
}

// part follows a field: the items of a list, or the object in an event.
func (k *Tracer) part(v ssa.Value, depth int) Origin {
	var x ssa.Value
	switch v := v.(type) {
	case *ssa.FieldAddr:
		x = v.X
	case *ssa.Field:
		x = v.X
	}
	field := calls.FieldAt(v)
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
func (k *Tracer) variable(local *ssa.Alloc, depth int) Origin {
	if k.filledByClient(local) {
		return Server
	}
	stored := calls.StoredInto(local)
	t := local.Type().(*types.Pointer).Elem()
	if _, pointer := t.Underlying().(*types.Pointer); !pointer && (kubeapi.IsObject(types.NewPointer(t)) || kubeapi.IsList(t)) {
		if len(stored) == 1 {
			return k.trace(stored[0], depth+1) // a copy of the struct
		}
		return Made
	}
	return k.oneOf(stored, depth)
}

// filledByClient reports whether a variable is handed to a client, which
// stores the API server's answer in it.
func (k *Tracer) filledByClient(addr ssa.Value) bool {
	for ref := range blocks.Uses(addr) {
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
	return k.oneOf(results, depth+2)
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

// IsAdmitted reports whether a parameter is the object that an admission webhook is asked about: it
// is as somebody has sent it.
func (k *Tracer) IsAdmitted(p *ssa.Parameter) bool {
	return k.IsSent(p) && slices.ContainsFunc(k.Entries.Of(p.Parent()), func(entry *entrypoints.Entry) bool { return entry.Kind == kubeapi.Admission })
}

// agreed is the one Origin that several ways agree on.
func agreed(found []Origin) Origin {
	if found = slices.Compact(found); len(found) != 1 {
		return Elsewhere
	}
	return found[0]
}

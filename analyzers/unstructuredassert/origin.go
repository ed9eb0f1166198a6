package unstructuredassert

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// origin is where an object comes from.
type origin uint8

const (
	// elsewhere is not known: other packages, fields.
	elsewhere origin = iota
	// made in the code, so that its content is what the code says.
	made
	// given by a caller that is not known.
	given
	// server is the API server, or an informer's cache of what it has sent.
	server
)

// originOf tells where the object of a place comes from.
func (k *checker) originOf(v ssa.Value) origin { return k.trace(v, 0) }

func (k *checker) trace(v ssa.Value, depth int) origin {
	if depth > maxDepth || v == nil {
		return elsewhere
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
			return elsewhere
		}
		return k.variable(v.X, depth)
	case *ssa.Alloc:
		return k.variable(v, depth)
	case *ssa.FreeVar:
		return k.variable(v, depth)
	case *ssa.Phi:
		var found []origin
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
	return elsewhere
}

// part follows a field: the items of a list, or the object in an event.
func (k *checker) part(v ssa.Value, depth int) origin {
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
		return elsewhere
	}
	if field.Name() == "Items" && kubeapi.IsUnstructuredList(x.Type()) {
		return k.trace(x, depth+1)
	}
	if field.Name() == "Object" && kubeapi.IsNamed(x.Type(), "k8s.io/apimachinery/pkg/watch", "Event") {
		return server
	}
	if p, ok := x.(*ssa.Parameter); ok && k.cachedParam(p) && (field.Name() == "Object" || field.Name() == "ObjectNew" || field.Name() == "ObjectOld") {
		return server
	}
	return elsewhere
}

// variable tells where the object in a variable comes from: from a client that
// it was handed to, or from what was stored.
func (k *checker) variable(addr ssa.Value, depth int) origin {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return k.part(addr, depth+1)
	case *ssa.IndexAddr:
		return k.trace(addr.X, depth+1)
	case *ssa.FreeVar:
		return k.variable(k.graph.Binding(addr), depth+1)
	case *ssa.Alloc:
		if k.filledByClient(addr) {
			return server
		}
		t := addr.Type().(*types.Pointer).Elem()
		if kubeapi.IsUnstructured(t) || kubeapi.IsUnstructuredList(t) {
			if _, pointer := t.Underlying().(*types.Pointer); !pointer {
				if stored := calls.StoredInto(addr); len(stored) == 1 {
					return k.trace(stored[0], depth+1) // a copy of the struct
				}
				return made
			}
		}
		var found []origin
		for _, stored := range calls.StoredInto(addr) {
			if c, ok := stored.(*ssa.Const); ok && c.IsNil() {
				continue
			}
			found = append(found, k.trace(stored, depth+4))
		}
		return agreed(found)
	}
	return elsewhere
}

// filledByClient reports whether a variable is handed to a client, which
// stores the API server's answer in it.
func (k *checker) filledByClient(addr ssa.Value) bool {
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
func (k *checker) result(call *ssa.Call, index, depth int) origin {
	common := call.Common()
	if _, ok := kubeapi.ClientOp(common); ok && index == 0 {
		return server
	}
	if index == 0 && kubeapi.ReadsCache(common) {
		return server
	}
	callee := kubeapi.Callee(common)
	if callee != nil {
		if kubeapi.IsDeepCopy(callee) {
			recv, _ := kubeapi.Args(common)
			return k.trace(recv, depth+1)
		}
		if kubeapi.IsTypedList(callee) && index == 0 {
			return server
		}
		if kubeapi.IsListerGet(callee) || kubeapi.IsListerList(callee) {
			return server
		}
	}
	if depth > maxDepth/2 {
		return elsewhere
	}
	targets := k.graph.Callees(call)
	if !targets.Closed {
		return elsewhere
	}
	var found []origin
	for _, fn := range targets.Funcs {
		for _, block := range fn.Blocks {
			ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
			if !ok || index >= len(ret.Results) {
				continue
			}
			if c, ok := ret.Results[index].(*ssa.Const); ok && c.IsNil() {
				continue
			}
			found = append(found, k.trace(ret.Results[index], depth+6))
		}
	}
	return agreed(found)
}

// passed tells where a parameter's object comes from: by the place where the
// ecosystem calls the function, or by its callers.
func (k *checker) passed(p *ssa.Parameter, depth int) origin {
	if k.cachedParam(p) {
		return server
	}
	args, closed := k.arguments(p)
	if len(args) == 0 || depth > maxDepth/2 {
		return given
	}
	var found []origin
	for _, arg := range args {
		found = append(found, k.trace(arg.value, depth+6))
	}
	if slices.Contains(found, server) {
		return server
	}
	if !closed && !slices.Contains(found, made) && !slices.Contains(found, elsewhere) {
		return given
	}
	return agreed(found)
}

// cachedParam reports whether a parameter is the object, or the event with it,
// that an informer calls a handler with.
func (k *checker) cachedParam(p *ssa.Parameter) bool {
	for _, entry := range k.entries.Of(p.Parent()) {
		switch entry.Kind {
		case kubeapi.EventHandler, kubeapi.Predicate, kubeapi.MapFunc:
			if slices.Contains(entry.Objects(), p) {
				return true
			}
		}
	}
	return false
}

// argument is what a parameter is given at a call.
type argument struct {
	value ssa.Value
	call  ssa.CallInstruction
}

// arguments returns what a parameter is given in this package. closed tells
// that nobody else calls the function.
func (k *checker) arguments(p *ssa.Parameter) (args []argument, closed bool) {
	fn := p.Parent()
	index := slices.Index(fn.Params, p)
	closed = fn.Parent() != nil || fn.Object() != nil && !fn.Object().Exported()
	for _, call := range k.graph.Callers(fn) {
		operands := kubeapi.Operands(call.Common())
		if len(operands) != len(fn.Params) {
			closed = false
			continue
		}
		args = append(args, argument{operands[index], call})
	}
	return args, closed
}

// agreed is the one origin that several ways agree on.
func agreed(found []origin) origin {
	if len(found) == 0 {
		return elsewhere
	}
	for _, o := range found[1:] {
		if o != found[0] {
			return elsewhere
		}
	}
	return found[0]
}

// isContentType reports whether t is a map or slice as it lies in content.
func isContentType(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return isString(t.Key()) && isAny(t.Elem())
	case *types.Slice:
		return isAny(t.Elem())
	}
	return false
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

func isAny(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	return ok && iface.Empty()
}

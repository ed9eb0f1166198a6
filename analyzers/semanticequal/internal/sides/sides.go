// Package sides tells where the two sides of a comparison come from: whether they were
// read from the API server or a cache, or put together by the program, for some caller
// of the function that compares them.
package sides

import (
	"cmp"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Side is where one side of a comparison comes from.
type Side uint8

const (
	Unknown Side = iota
	Read         // from the API server or a cache
	Built        // put together by the program
)

// maxDepth bounds how far calls are followed.
const maxDepth = 3

// Of tells where the values of a package come from.
type Of struct{ Sums *objects.Summaries }

// binding has the arguments of a call that leads to a function.
type binding map[*ssa.Parameter]ssa.Value

// Side tells where a value comes from, as far as its function shows.
func (c Of) Side(v ssa.Value) Side {
	s, _ := c.side(v, nil, 0)
	return s
}

// Differ reports whether one of two values was read, and the other one
// built, for some caller of the function if they are its parameters.
func (c Of) Differ(x, y ssa.Value) bool { return c.differ(x, y, nil, 0) }

func (c Of) differ(x, y ssa.Value, args binding, depth int) bool {
	a, pa := c.side(x, args, 0)
	b, pb := c.side(y, args, 0)
	if a != Unknown && b != Unknown {
		return a != b
	}
	if depth > maxDepth || a == Unknown && pa == nil || b == Unknown && pb == nil {
		return false
	}
	fn := cmp.Or(pa, pb).Parent()
	for _, call := range c.Sums.Calls.Callers(fn) {
		ops := kubeapi.Operands(call.Common())
		if len(ops) != len(fn.Params) {
			continue
		}
		outer := binding{}
		for i, param := range fn.Params {
			outer[param] = ops[i]
		}
		maps.Copy(outer, args)
		if c.differ(x, y, outer, depth+1) {
			return true
		}
	}
	return false
}

// side tells where a value comes from; if that is a parameter that is not
// bound, it is returned.
func (c Of) side(v ssa.Value, args binding, depth int) (Side, *ssa.Parameter) {
	if depth > 3*maxDepth {
		return Unknown, nil
	}
	return c.sideOf(c.Sums.Resolve.Place(v).Object, args, depth)
}

func (c Of) sideOf(o paths.Object, args binding, depth int) (Side, *ssa.Parameter) {
	if copied := c.Sums.CopyOf(o); copied != nil {
		return c.side(copied, args, depth+1)
	}
	if roots := c.Sums.Resolve.Roots(o); len(roots) > 1 {
		return c.common(roots, o, args, depth)
	}
	if call, index := calls.CallOf(o.Root); call != nil {
		return c.result(call, index, args, depth)
	}
	switch root := o.Root.(type) {
	case *ssa.Parameter:
		if arg := args[root]; arg != nil {
			return c.side(arg, args, depth+1)
		}
		return Unknown, root
	case *ssa.MakeMap, *ssa.MakeSlice:
		return Built, nil
	case *ssa.Alloc:
		return c.variable(root, o), nil
	}
	return Unknown, nil
}

// common is the side of an object that may be one of several.
func (c Of) common(roots []paths.Object, o paths.Object, args binding, depth int) (Side, *ssa.Parameter) {
	found := Unknown
	for _, root := range roots {
		if root == o {
			continue
		}
		s, _ := c.sideOf(root, args, depth+1)
		if s == Unknown || found != Unknown && s != found {
			return Unknown, nil
		}
		found = s
	}
	return found, nil
}

// variable is the side of an object that is made here: read, if a client reads
// into it, and built otherwise.
func (c Of) variable(alloc *ssa.Alloc, o paths.Object) Side {
	for instr := range blocks.Instrs(alloc.Parent()) {
		for _, e := range c.Sums.Events(instr) {
			if e.Place.Object.Root != ssa.Value(alloc) {
				continue
			}
			if e.Kind == objects.Refreshed {
				return Read
			}
			if e.Kind == objects.Touched {
				return Unknown
			}
		}
	}
	if o.Path != "" || kubeapi.KindOf(alloc.Type()) == nil && !alloc.Heap {
		return Unknown
	}
	return Built
}

// result is the side of what a call returns.
func (c Of) result(call *ssa.Call, index int, args binding, depth int) (Side, *ssa.Parameter) {
	if kubeapi.ReadsCache(call.Common()) {
		return Read, nil
	}
	if op, ok := c.Sums.ClientOp(call.Common()); ok {
		if op.Verb.Reads() {
			return Read, nil
		}
		return Unknown, nil
	}
	targets := c.Sums.Calls.Callees(call)
	if len(targets.Funcs) != 1 || !targets.Closed {
		if cannotRead(call.Common()) {
			return Built, nil
		}
		return Unknown, nil
	}
	fn := targets.Funcs[0]
	ops := kubeapi.Operands(call.Common())
	inner := make(binding)
	maps.Copy(inner, args)
	for i, param := range fn.Params {
		if len(ops) == len(fn.Params) {
			inner[param] = ops[i]
		}
	}
	found := Unknown
	for ret := range blocks.Returns(fn) {
		if index >= len(ret.Results) || calls.IsNil(calls.Behind(ret.Results[index])) {
			continue
		}
		s, _ := c.side(ret.Results[index], inner, depth+1)
		if s == Unknown || found != Unknown && s != found {
			return Unknown, nil
		}
		found = s
	}
	return found, nil
}

// cannotRead reports whether a function of another package makes an object: it
// has no context and no client to read one with, and is handed none of the kind.
func cannotRead(common *ssa.CallCommon) bool {
	fn := kubeapi.Callee(common)
	if fn == nil || common.IsInvoke() || kubeapi.IsDeepCopy(fn) {
		return false
	}
	result := kubeapi.Named(fn.Signature().Results().At(0).Type())
	return result != nil && kubeapi.KindOf(result) != nil && !slices.ContainsFunc(kubeapi.Operands(common), func(op ssa.Value) bool {
		t := op.Type()
		return kubeapi.IsContext(t) || types.IsInterface(t) || kubeapi.IsClient(t) || kubeapi.HasClient(t) || kubeapi.Named(t) == result
	})
}

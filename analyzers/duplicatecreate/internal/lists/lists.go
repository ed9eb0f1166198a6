// Package lists tells which calls ask for all objects of a kind, from a cache or past it.
package lists

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// In tells it of the calls of a package.
type In struct{ Sums *objects.Summaries }

// maxDepth bounds how far calls are followed.
const maxDepth = 3

// Before returns the call that has listed objects of the kind from a cache
// whenever a call runs: in its function, or in those that call it.
func (c In) Before(call ssa.CallInstruction, kind *types.Named) (list ssa.CallInstruction, way []ssa.CallInstruction) {
	return c.before(call, kind, 0)
}

func (c In) before(call ssa.CallInstruction, kind *types.Named, depth int) (list ssa.CallInstruction, way []ssa.CallInstruction) {
	if list := c.Decided(call, kind); list != nil {
		return list, nil
	}
	if depth > maxDepth {
		return nil, nil
	}
	for _, caller := range c.Sums.Calls.Callers(call.Parent()) {
		if list, way := c.before(caller, kind, depth+1); list != nil {
			return list, append(way, caller)
		}
	}
	return nil, nil
}

// Decided returns the call that has listed them in the function of a call, with a branch between the two.
func (c In) Decided(call ssa.CallInstruction, kind *types.Named) ssa.CallInstruction {
	for other := range blocks.InstrsOf[*ssa.Call](call.Parent()) {
		if blocks.Precedes(other, call) && c.Cached(other, kind) && decides(other, call) {
			return other
		}
	}
	return nil
}

// decides reports whether a branch lies between a list and what follows it.
func decides(list *ssa.Call, call ssa.CallInstruction) bool {
	for block := call.Block().Idom(); block != nil && list.Block().Dominates(block); block = block.Idom() {
		if branch, ok := blocks.Last(block).(*ssa.If); ok && !IsErrorTest(branch.Cond) {
			return true
		}
	}
	return false
}

// IsErrorTest reports whether a condition asks for an error.
func IsErrorTest(cond ssa.Value) bool {
	op, ok := cond.(*ssa.BinOp)
	return ok && (kubeapi.IsError(op.X.Type()) || kubeapi.IsError(op.Y.Type()))
}

// Cached reports whether a call reads all objects of the kind from a cache, itself
// or in a function of the package that returns them.
func (c In) Cached(call *ssa.Call, kind *types.Named) bool { return c.cached(call, kind, 0) }

func (c In) cached(call *ssa.Call, kind *types.Named, depth int) bool {
	fn := kubeapi.Callee(call.Common())
	if fn != nil && kubeapi.IsListerList(fn) {
		slice, ok := fn.Signature().Results().At(0).Type().Underlying().(*types.Slice)
		return ok && kubeapi.KindOf(slice.Elem()) == kind
	}
	if op, ok := c.Sums.ClientOp(call.Common()); ok {
		return asksFor(op, kind) && c.readsCache(op.Recv)
	}
	targets := c.Sums.Calls.Callees(call)
	return len(targets.Funcs) == 1 && depth <= 1 && ReturnsMany(call.Type(), kind) &&
		blocks.Any(targets.Funcs[0], func(inner *ssa.Call) bool { return c.cached(inner, kind, depth+1) })
}

// asksFor reports whether an operation lists objects of a kind.
func asksFor(op kubeapi.Op, kind *types.Named) bool {
	return op.Verb == kubeapi.List && op.Object != nil && kubeapi.ListElem(kubeapi.Unboxed(op.Object).Type()) == kind
}

// ReturnsMany reports whether the results of a call have a list of the kind, or
// one that was picked from it.
func ReturnsMany(t types.Type, kind *types.Named) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		return kubeapi.AnyIs(tuple, func(t types.Type) bool { return ReturnsMany(t, kind) })
	}
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	return kubeapi.KindOf(t) == kind || kubeapi.ListElem(t) == kind
}

// Anywhere reports whether a call lists objects of a kind, whether from a cache or not.
func (c In) Anywhere(call *ssa.Call, kind *types.Named) bool {
	if op, ok := c.Sums.ClientOp(call.Common()); ok {
		return asksFor(op, kind)
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && kubeapi.IsTypedList(callee) && kubeapi.ListElem(callee.Signature().Results().At(0).Type()) == kind
}

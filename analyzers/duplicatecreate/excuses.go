package duplicatecreate

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// excused reports whether the functions on the way take care of a stale cache.
func (c *checker) excused(way []ssa.CallInstruction, kind *types.Named) bool {
	var fns []*ssa.Function
	for _, call := range way {
		if fn := call.Parent(); !slices.Contains(fns, fn) {
			fns = append(fns, fn)
		}
	}
	return c.excusedIn(fns, kind)
}

func (c *checker) excusedIn(fns []*ssa.Function, kind *types.Named) bool {
	takesCare := func(fn *ssa.Function) bool { return c.takesCare(fn, 0) }
	return !c.isRepeated(fns) || slices.ContainsFunc(fns, takesCare) || c.removesOthers(fns, kind)
}

// isRepeated reports whether one of the functions runs for each item of a queue:
// a command that a user runs once has no stale cache.
func (c *checker) isRepeated(fns []*ssa.Function) bool {
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		return c.entries.PathTo(fn, kubeapi.Reconcile, kubeapi.Worker, kubeapi.Sync) != nil
	})
}

// takesCare reports whether a function counts what it has created
// (expectations), or waits until the cache shows it, itself or in what it calls.
func (c *checker) takesCare(fn *ssa.Function, depth int) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		callee := kubeapi.Callee(call.Common())
		return callee != nil && (kubeapi.IsPoll(callee) || kubeapi.CountsExpectations(callee)) ||
			depth == 0 && slices.ContainsFunc(c.sums.Calls.Callees(call).Funcs, func(target *ssa.Function) bool { return c.takesCare(target, depth+1) })
	})
}

// removesOthers reports whether what is there twice is deleted again.
func (c *checker) removesOthers(fns []*ssa.Function, kind *types.Named) bool {
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool {
			d, ok := kubeapi.DeletionOf(call.Common())
			return ok && d.Object != nil && kubeapi.KindOfValue(d.Object) == kind
		})
	})
}

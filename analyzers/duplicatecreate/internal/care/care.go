// Package care tells which creations are kept from being made twice although a cache is stale,
// and of which a second one does little harm.
package care

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
)

// In tells it of the creations of a package.
type In struct {
	Sums        *objects.Summaries
	Entries     *entrypoints.Result
	Controllers *controllers.Result
}

// Excused reports whether the functions on the way take care of a stale cache.
func (c In) Excused(way []ssa.CallInstruction, kind *types.Named) bool {
	var fns []*ssa.Function
	for _, call := range way {
		if fn := call.Parent(); !slices.Contains(fns, fn) {
			fns = append(fns, fn)
		}
	}
	return c.ExcusedIn(fns, kind)
}

// ExcusedIn is the same for functions that are known.
func (c In) ExcusedIn(fns []*ssa.Function, kind *types.Named) bool {
	return !c.IsRepeated(fns) || slices.ContainsFunc(fns, c.TakesCare) || c.removesOthers(fns, kind) || c.keepsBook(fns) || c.asksServer(fns, kind)
}

// asksServer reports whether some functions also list objects of the kind, or read one, past the cache.
func (c In) asksServer(fns []*ssa.Function, kind *types.Named) bool {
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool {
			op, ok := c.Sums.ClientOp(call.Common())
			if !ok || op.Object == nil || kubeapi.MayReadCache(op.Recv) {
				return false
			}
			read := kubeapi.Unboxed(op.Object).Type()
			return op.Verb == kubeapi.List && kubeapi.ListElem(read) == kind || op.Verb == kubeapi.Get && kubeapi.KindOf(kubeapi.Deref(read)) == kind
		})
	})
}

// keepsBook reports whether some functions, or those of the package that they call, keep in a map of
// the package's own what they have done, and the package looks there: expectations of their own, or
// when they last ran, so that the next run is kept off.
func (c In) keepsBook(fns []*ssa.Function) bool {
	written := make(map[types.Object]bool)
	note := func(fn *ssa.Function) {
		for instr := range blocks.Instrs(fn) {
			if field, writes, _ := bookAt(instr); writes {
				written[field] = true
			}
		}
	}
	for _, fn := range fns {
		note(fn)
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			for _, target := range c.Sums.Calls.Callees(call).Funcs {
				note(target)
			}
		}
	}
	delete(written, nil)
	return len(written) > 0 && slices.ContainsFunc(c.Sums.Calls.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(instr ssa.Instruction) bool {
			field, _, asks := bookAt(instr)
			return asks && written[field] && field.Pkg() == c.Sums.Calls.Pkg.Pkg
		})
	})
}

// bookAt returns the field or variable that has the map which an instruction writes an entry of, or
// looks one up in, or both; nil if it does neither.
func bookAt(instr ssa.Instruction) (book types.Object, writes, asks bool) {
	switch instr := instr.(type) {
	case *ssa.MapUpdate:
		return calls.Loaded(instr.Map), true, false
	case *ssa.Lookup:
		return calls.Loaded(instr.X), false, true
	case ssa.CallInstruction:
		if writes, asks := kubeapi.SyncMapUse(kubeapi.Callee(instr.Common())); writes || asks {
			recv, _ := kubeapi.Args(instr.Common())
			return calls.HolderOf(recv), writes, asks
		}
	}
	return nil, false, false
}

// IsRepeated reports whether one of the functions runs for each item of a queue:
// a command that a user runs once has no stale cache.
func (c In) IsRepeated(fns []*ssa.Function) bool {
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		return c.Entries.PathTo(fn, kubeapi.Reconcile, kubeapi.Worker, kubeapi.Sync) != nil
	})
}

// TakesCare reports whether a function counts what it has created
// (expectations), or waits until the cache shows it, itself or in what it calls.
func (c In) TakesCare(fn *ssa.Function) bool { return c.takesCare(fn, 0) }

func (c In) takesCare(fn *ssa.Function, depth int) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		callee := kubeapi.Callee(call.Common())
		return callee != nil && (kubeapi.IsPoll(callee) || kubeapi.CountsExpectations(callee)) ||
			depth == 0 && slices.ContainsFunc(c.Sums.Calls.Callees(call).Funcs, func(target *ssa.Function) bool { return c.takesCare(target, depth+1) })
	})
}

// removesOthers reports whether what is there twice is deleted again.
func (c In) removesOthers(fns []*ssa.Function, kind *types.Named) bool {
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool {
			d, ok := kubeapi.DeletionOf(call.Common())
			return ok && d.Object != nil && kubeapi.KindOfValue(d.Object) == kind
		}) || blocks.Any(fn, func(part *ssa.Slice) bool {
			return (part.Low != nil || part.High != nil) && holdsMany(part.Type(), kind) && c.deletes(fn, kind, 0)
		})
	})
}

// deletes reports whether a function deletes objects of a kind, itself or in what it calls.
func (c In) deletes(fn *ssa.Function, kind *types.Named, depth int) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		if d, ok := kubeapi.DeletionCallOf(call.Common()); ok {
			return d.Kind == kind
		}
		return depth == 0 && slices.ContainsFunc(c.Sums.Calls.Callees(call).Funcs, func(target *ssa.Function) bool { return c.deletes(target, kind, depth+1) })
	})
}

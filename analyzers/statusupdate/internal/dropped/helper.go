package dropped

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// mayNotWrite reports whether a helper of the package that writes an object has success
// without it as well: it writes only if something has changed. One that puts a finalizer on
// does so the first time, surely.
func (u *unit) mayNotWrite(write objects.Site, depth int) bool {
	call := write.Node.Call()
	if write.Via == nil || call == nil || depth > maxHelpers {
		return false
	}
	return slices.ContainsFunc(u.Calls.Callees(call).Funcs, func(fn *ssa.Function) bool {
		return len(fn.Blocks) > 0 && !u.changesFinalizers(fn) && u.succeedsWithout(fn, write, depth)
	})
}

// maxHelpers bounds the helpers that hand on to each other.
const maxHelpers = 3

func (u *unit) changesFinalizers(fn *ssa.Function) bool {
	return blocks.Any(fn, func(instr ssa.Instruction) bool { return len(u.Finalizers.Changes(instr)) > 0 })
}

// succeedsWithout reports whether a function returns nil, or nothing, on a way on which it
// has not made a write, or hands on what such a one returns.
func (u *unit) succeedsWithout(fn *ssa.Function, write objects.Site, depth int) bool {
	var at []*ssa.BasicBlock
	handsOn := false
	for _, site := range u.Of(fn).Sites {
		if site.Kind != objects.Written || site.Write.Verb != write.Write.Verb || site.Write.Endpoint != write.Write.Endpoint {
			continue
		}
		if u.mayNotWrite(site, depth+1) {
			handsOn = true
			continue
		}
		at = append(at, blockIn(site.Node, fn))
	}
	if handsOn && len(at) == 0 {
		return true
	}
	for ret := range blocks.Returns(fn) {
		if len(ret.Results) > 0 {
			if last := ret.Results[len(ret.Results)-1]; kubeapi.IsError(last.Type()) && !calls.IsNil(last) {
				continue // it may have failed
			}
		}
		if !slices.ContainsFunc(at, func(block *ssa.BasicBlock) bool { return block != nil && block.Dominates(ret.Block()) }) {
			return true
		}
	}
	return false
}

// blockIn is the block of a function in which a node lies, or the call that leads to it.
func blockIn(n *paths.Node, fn *ssa.Function) *ssa.BasicBlock {
	if n.Instr.Parent() == fn {
		return n.Instr.Block()
	}
	for frame := n.Frame; frame != nil; frame = frame.Parent {
		if frame.Call != nil && frame.Call.Parent() == fn {
			return frame.Call.Block()
		}
	}
	return nil
}

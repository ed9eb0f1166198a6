// Package stages tells where an object is made at one stage of its owner's life, and where it
// is changed by other means.
package stages

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// In answers for a package.
type In struct{ *objects.Summaries }

// How far callers, and what these call, are asked.
const maxCallers, maxCallees = 2, 2

// Is reports whether a call is made only where the status of an object says so, here or in all
// callers of the function: what comes at another stage is for another function to do.
func (c In) Is(call ssa.CallInstruction) bool { return c.is(call, 0) }

func (c In) is(call ssa.CallInstruction, depth int) bool {
	for branch, held := range blocks.Decided(call.Block()) {
		if c.isStage(branch.Cond, held) {
			return true
		}
	}
	callers := c.Calls.Callers(call.Parent())
	return depth < maxCallers && len(callers) > 0 && !slices.ContainsFunc(callers, func(caller ssa.CallInstruction) bool { return !c.is(caller, depth+1) })
}

// isStage reports whether a condition tells that a part of a status is a certain one, or that
// something has not been done yet. That it is not a certain one is so for good, as a rule.
func (c In) isStage(cond ssa.Value, held bool) bool {
	asked, holds := values.Asked(cond, held)
	if compared, ok := asked.(*ssa.BinOp); ok {
		return (compared.Op == token.EQL && holds || compared.Op == token.NEQ && !holds) && (c.isStatus(compared.X) || c.isStatus(compared.Y))
	}
	return !holds && c.isStatus(asked)
}

// isStatus reports whether a value is a part of an object's status.
func (c In) isStatus(v ssa.Value) bool {
	of := values.Relation{Calls: c.Calls, Steps: values.Local | values.Taken}
	return of.Any(v, func(v ssa.Value) bool { return c.Resolve.Place(v).Aspect() == kubeapi.Status })
}

// IsUpdated reports whether the function that makes a call, one that calls it, or one that these
// call, also updates or patches an object of a kind, which may be nil.
func (c In) IsUpdated(call ssa.CallInstruction, kind *types.Named) bool {
	if kind == nil {
		return false
	}
	return slices.ContainsFunc(c.Calls.Around([]*ssa.Function{paths.Outermost(call.Parent())}, 1, maxCallees), func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(other *ssa.Call) bool {
			op, ok := c.ClientOp(other.Common())
			if !ok || op.Mutate != nil || op.Endpoint != kubeapi.MainEndpoint || !slices.Contains([]kubeapi.Verb{kubeapi.Update, kubeapi.Patch, kubeapi.Apply}, op.Verb) {
				return false
			}
			updated := op.Kind
			if updated == nil && op.Object != nil {
				updated = kubeapi.KindBehind(op.Object)
			}
			return updated != nil && updated.Obj() == kind.Obj()
		})
	})
}

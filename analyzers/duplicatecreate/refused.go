package duplicatecreate

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isRefused reports whether a second run does not get as far as the calls on a way: before one of
// them something else is created whose name stays the same, and the API server's refusal ends the
// run.
//
//	if err := r.Create(ctx, claimOf(backup)); err != nil {
//		return err
//	}
//	return r.Create(ctx, podOf(backup))
func (c *checker) isRefused(way []ssa.CallInstruction) bool {
	return slices.ContainsFunc(way, func(site ssa.CallInstruction) bool {
		return blocks.Any(site.Parent(), func(call *ssa.Call) bool {
			failed, known := calls.FailedAt(site.Block(), call)
			return known && !failed && blocks.Precedes(call, site) && c.createsNamed(call, 0)
		})
	})
}

// createsNamed reports whether a call creates an object under a name that stays the same, itself or in
// a function of the package, and lets a refusal through.
func (c *checker) createsNamed(call *ssa.Call, depth int) bool {
	if op, ok := c.sums.ClientOp(call.Common()); ok {
		return op.Verb == kubeapi.Create && op.Mutate == nil && op.Endpoint == kubeapi.MainEndpoint && op.Object != nil && !c.names.Anew(call.Parent(), op.Object)
	}
	targets := c.sums.Calls.Callees(call)
	return depth <= maxCreators && len(targets.Funcs) == 1 && !blocks.Any(targets.Funcs[0], tellsErrors) &&
		blocks.Any(targets.Funcs[0], func(inner *ssa.Call) bool { return c.createsNamed(inner, depth+1) })
}

// maxCreators bounds the calls that lead to a creation.
const maxCreators = 1

// tellsErrors reports whether a call tells one kind of error from others: what is there already may be
// no failure then.
func tellsErrors(call *ssa.Call) bool {
	switch kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) {
	case kubeapi.TellsNotFound, kubeapi.TellsErrorKind, kubeapi.IgnoresErrorKind:
		return true
	}
	return false
}

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
			return known && !failed && blocks.Precedes(call, site) && c.createsNamed(call)
		})
	})
}

// createsNamed reports whether a call creates an object under a name that stays the same, itself or in
// a function of the package that does not succeed without, and hands up the refusal.
func (c *checker) createsNamed(call *ssa.Call) bool {
	if op, ok := c.sums.ClientOp(call.Common()); ok {
		if op.Verb != kubeapi.Create || op.Mutate != nil || op.Endpoint != kubeapi.MainEndpoint || op.Object == nil {
			return false
		}
		kind := kubeapi.KindOfValue(op.Object)
		return kind != nil && !kubeapi.IsReview(kind) && !kubeapi.IsRecordedEvent(kind) && c.names.Stays(op.Object)
	}
	targets := c.sums.Calls.Callees(call)
	if len(targets.Funcs) != 1 || blocks.Any(targets.Funcs[0], tellsErrors) {
		return false
	}
	return blocks.Any(targets.Funcs[0], func(inner *ssa.Call) bool {
		_, isRequest := c.sums.ClientOp(inner.Common())
		return isRequest && c.isNeeded(inner) && c.handsUp(inner) && c.createsNamed(inner)
	})
}

// isNeeded reports whether a function returns without a call only where something else has failed.
func (c *checker) isNeeded(call *ssa.Call) bool {
	for ret := range blocks.Returns(call.Parent()) {
		if !call.Block().Dominates(ret.Block()) && !calls.AfterFailure(ret) {
			return false
		}
	}
	return true
}

// handsUp reports whether a function returns the error of a call in it.
func (c *checker) handsUp(call *ssa.Call) bool {
	for ret := range blocks.Returns(call.Parent()) {
		if len(ret.Results) == 0 {
			return false
		}
		last := ret.Results[len(ret.Results)-1]
		if failed, known := calls.FailedAt(ret.Block(), call); last == ssa.Value(call) || known && failed && kubeapi.IsError(last.Type()) && !c.sums.Calls.IsNilError(last) {
			return true
		}
	}
	return false
}

// tellsErrors reports whether a call tells one kind of error from others: what is there already may be
// no failure then.
func tellsErrors(call *ssa.Call) bool {
	switch kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) {
	case kubeapi.TellsNotFound, kubeapi.TellsErrorKind, kubeapi.IgnoresErrorKind:
		return true
	}
	return false
}

package overdue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isAskedNearby reports whether the function that asks to come back, one that calls it, or
// one that these call, compares the same field of such an object with the present. The
// answer may be kept in a variable, or have been acted upon: that the time has passed was
// thought of, and by what is left of it nobody is hurt.
func (c *Finder) isAskedNearby(fn *ssa.Function, l left) bool {
	place := c.placeOf(l)
	if place.Kind == nil || len(place.Sub) == 0 {
		return false
	}
	is := func(v ssa.Value) bool {
		p := c.timePlace(v)
		return p.Kind == place.Kind && slices.Equal(p.Sub, place.Sub)
	}
	return slices.ContainsFunc(c.Calls.Around([]*ssa.Function{fn}, maxDepth, 2), func(fn *ssa.Function) bool {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if ssa.Value(call) != l.at && ssa.Value(call) != l.in && c.comparesTime(call) && slices.ContainsFunc(kubeapi.Operands(call.Common()), is) {
				return true
			}
		}
		return false
	})
}

// comparesTime reports whether a call compares two times, or computes the difference that
// is compared then, here or by who asked for it.
func (c *Finder) comparesTime(call *ssa.Call) bool {
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		return false
	}
	if recv := callee.Signature().Recv(); recv != nil && kubeapi.IsTime(recv.Type()) {
		switch callee.Name() {
		case "Before", "After", "Compare":
			return true
		}
	}
	if !kubeapi.IsDuration(call.Type()) {
		return false
	}
	for v, use := range (values.Relation{Calls: c.Calls, Steps: values.Converted | values.Returned}).Uses(call) {
		op, ok := use.(*ssa.BinOp)
		if ok && slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, op.Op) && !isAmong(v, op.X) && !isAmong(v, op.Y) {
			return true
		}
	}
	return false
}

// isAmong reports whether a value is merged with others of its kind: which of several times
// has gone by for longest asks for no limit.
func isAmong(v, other ssa.Value) bool {
	_, merges := other.(*ssa.Phi)
	return merges && slices.Contains(merged(other), v)
}

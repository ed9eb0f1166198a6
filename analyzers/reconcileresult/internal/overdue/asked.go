package overdue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
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
	return slices.ContainsFunc(c.Calls.Around([]*ssa.Function{fn}, maxDepth, 1), func(fn *ssa.Function) bool {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if ssa.Value(call) != l.at && ssa.Value(call) != l.in && comparesTime(call) && slices.ContainsFunc(kubeapi.Operands(call.Common()), is) {
				return true
			}
		}
		return false
	})
}

// comparesTime reports whether a call compares two times, or computes the difference that
// is compared then.
func comparesTime(call *ssa.Call) bool {
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
	return kubeapi.IsDuration(call.Type()) && slices.ContainsFunc(*call.Referrers(), func(ref ssa.Instruction) bool {
		op, ok := ref.(*ssa.BinOp)
		return ok && slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, op.Op) && !isAmong(call, op.X) && !isAmong(call, op.Y)
	})
}

// isAmong reports whether a value is merged with others of its kind: which of several times
// has gone by for longest asks for no limit.
func isAmong(v, other ssa.Value) bool {
	_, merges := other.(*ssa.Phi)
	return merges && slices.Contains(merged(other), v)
}

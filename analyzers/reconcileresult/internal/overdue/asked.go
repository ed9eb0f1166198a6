package overdue

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// isAskedNearby reports whether the function that asks to come back, one that calls it, or
// one that these call, compares the same field of such an object with the present. The
// answer may be kept in a variable, or have been acted upon: that the time has passed was
// thought of, and by what is left of it nobody is hurt. Of a time that is in no field of an object, such
// as that of a text or a certificate, whatever else is of that kind may be the same.
func (c *Finder) isAskedNearby(fn *ssa.Function, l left) bool {
	place := c.placeOf(l)
	is := func(v ssa.Value) bool {
		p := c.timePlace(v)
		return p.Kind == place.Kind && slices.Equal(p.Sub, place.Sub)
	}
	if !place.IsInside() {
		is = func(v ssa.Value) bool { return kubeapi.IsTime(v.Type()) && c.timePlace(v).Kind == nil && c.isData(v) }
	}
	return slices.ContainsFunc(c.Calls.Around([]*ssa.Function{fn}, maxDepth, 2), func(fn *ssa.Function) bool {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if ssa.Value(call) == l.at || ssa.Value(call) == l.in {
				continue
			}
			if c.comparesTime(call) && slices.ContainsFunc(kubeapi.Operands(call.Common()), is) || c.asksElsewhere(call, place.Kind) {
				return true
			}
		}
		return false
	})
}

// asksElsewhere reports whether a call asks a function of another package of the module a question
// about an object of a kind, or a method of it: that may be whether its time has passed.
func (c *Finder) asksElsewhere(call *ssa.Call, kind *types.Named) bool {
	callee := kubeapi.Callee(call.Common())
	if kind == nil || callee == nil || !kubeapi.IsBool(call.Type()) || callee.Pkg() == c.Calls.Pkg.Pkg || !c.Calls.SameModule(callee.Pkg()) {
		return false
	}
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
		of := kubeapi.KindBehind(v)
		return of != nil && of.Obj() == kind.Obj()
	})
}

// isComparedWithNothing reports whether it is asked whether anything is left: what is left undone where
// nothing is, is done on purpose, or by what fails there.
func (c *Finder) isComparedWithNothing(u *objects.Unit, l left) bool {
	return c.comparedWithNothing(u, l) > 0
}

// comparedWithNothing counts how often that is asked.
func (c *Finder) comparedWithNothing(u *objects.Unit, l left) int {
	count := 0
	for _, n := range u.Graph.Nodes {
		b, ok := n.Instr.(*ssa.BinOp)
		if ok && comparesAmounts(b) && (literals.IsZero(b.X) && c.isLeftOf(b.Y, l) || literals.IsZero(b.Y) && c.isLeftOf(b.X, l)) {
			count++
		}
	}
	return count
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

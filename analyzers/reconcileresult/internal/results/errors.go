package results

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// MayHold reports whether v may be the error: itself, through variables, or
// wrapped.
func (r *Results) MayHold(v, err ssa.Value) bool {
	return r.Wrapping().Any(v, func(v ssa.Value) bool { return v == err })
}

// Formats reports whether v is an error that is made of the text of this one.
func (r *Results) Formats(v, err ssa.Value) bool {
	call, ok := Wrapped(v).(*ssa.Call)
	if !ok {
		return false
	}
	if _, ok := kubeapi.FormatsError(kubeapi.Callee(call.Common()), call.Common()); !ok {
		return false
	}
	args, _ := kubeapi.VariadicArgs(call.Call.Args[len(call.Call.Args)-1])
	return slices.ContainsFunc(args, func(arg ssa.Value) bool { return r.MayHold(kubeapi.Unboxed(arg), err) })
}

// Holds reports whether v is the error and no other one.
func (r *Results) Holds(v, err ssa.Value) bool {
	return r.MayHold(v, err) && r.Wrapping().All(v, func(v ssa.Value) bool { return v == err || calls.IsNil(v) })
}

// Wrapping leads from an error to those that it may be, or that it wraps.
func (r *Results) Wrapping() values.Relation {
	return values.Relation{Calls: r.Calls, Steps: values.Local, More: func(v ssa.Value) []ssa.Value {
		if call, ok := v.(*ssa.Call); ok && kubeapi.WrappedError(kubeapi.Callee(call.Common()), call.Common()) != nil {
			return call.Call.Args[:1]
		}
		return nil
	}}
}

// Pairs returns the calls whose two results a return hands on: directly, or
// through variables that hold both.
func (r *Results) Pairs(result, err ssa.Value) []*ssa.Call {
	results, errs := r.CallsBehind(result, 0), r.CallsBehind(err, 1)
	var both []*ssa.Call
	for call := range results {
		if errs[call] {
			both = append(both, call)
		}
	}
	slices.SortFunc(both, func(a, b *ssa.Call) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return both
}

// CallsBehind returns the calls whose index-th result v may be.
func (r *Results) CallsBehind(v ssa.Value, index int) map[*ssa.Call]bool {
	found := make(map[*ssa.Call]bool)
	variables := values.Relation{Calls: r.Calls, Steps: values.Merged | values.Held}
	for v := range variables.Ends(v) {
		if extract, ok := v.(*ssa.Extract); ok && extract.Index == index {
			if call, ok := extract.Tuple.(*ssa.Call); ok {
				found[call] = true
			}
		}
	}
	return found
}

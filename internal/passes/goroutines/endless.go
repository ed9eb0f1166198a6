package goroutines

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// endless reports whether fn, once begun, goes on until it is told to stop:
// it cannot return, it calls wait.Until or its like, or it has a loop that is
// left only when a channel or context says so.
func (a *analysisState) endless(fn *ssa.Function, depth int) bool {
	if fn == nil || len(fn.Blocks) == 0 || depth > 3 {
		return false
	}
	if known, ok := a.ends[fn]; ok {
		return known
	}
	a.ends[fn] = false // for recursion
	result := a.computeEndless(fn, depth)
	a.ends[fn] = result
	return result
}

func (a *analysisState) computeEndless(fn *ssa.Function, depth int) bool {
	if !loops.CanReturn(fn) {
		return true
	}
	for _, loop := range loops.Of(fn) {
		if len(loop.Waits()) > 0 && loop.LeftOnlyWhenTold(a.expires) {
			return true
		}
	}
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if kubeapi.IsEndless(kubeapi.Callee(call.Common())) {
			return true
		}
		if callee := call.Common().StaticCallee(); callee != nil && callee.Blocks != nil && callee.Pkg == fn.Pkg && a.endless(callee, depth+1) {
			return true
		}
	}
	return false
}

// expires reports whether a context, or one that it derives from, is seen to
// have a deadline.
func (a *analysisState) expires(ctx ssa.Value) bool {
	for _, p := range a.contexts(ctx, nil) {
		call, _ := calls.CallOf(p.root)
		if call == nil {
			continue
		}
		if _, _, _, ok := kubeapi.TimeoutOf(call.Common()); ok {
			return true
		}
	}
	return false
}

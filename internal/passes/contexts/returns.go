package contexts

import (
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Returns is a fact about a function that returns contexts: where they come
// from.
type Returns struct {
	Results []Result
}

// AFact marks Returns as a fact.
func (*Returns) AFact() {}

// IsZero reports whether nothing is known.
func (r *Returns) IsZero() bool { return len(r.Results) == 0 }

// Result is one possibility for a context that a function returns.
type Result struct {
	Index int // of the result
	Kind  Kind
	Param int // the parameter that it derives from (the receiver counted), for the kind Param
	Step  StepKind
	After time.Duration // of a Timeout, the shortest on the way, if Known
	Known bool
	Limit int  // 1 + the parameter that is the duration, if it is one
	Ends  bool // it may end by something else than its cancel function: see [Step.ByCancel]
}

// export says where the contexts come from that functions return.
func (i *Sources) export() {
	for _, fn := range i.graph.Funcs {
		if !kubeapi.AnyIs(fn.Signature.Results(), kubeapi.IsContext) {
			continue
		}
		i.returns.Note(fn).Results = i.summarise(fn)
	}
	i.returns.Export()
}

// resultsOf returns what is known of the contexts that a call returns as its
// index-th result; ok is false if nothing is.
func (i *Sources) resultsOf(call *ssa.Call, index int) (results []Result, ok bool) {
	targets := i.graph.Callees(call).Funcs
	for _, fn := range targets {
		results = append(results, i.summarise(fn)...)
	}
	if len(targets) == 0 {
		if fact := i.returns.Elsewhere(call); fact != nil {
			results = slices.Clone(fact.Results)
		}
	}
	results = slices.DeleteFunc(results, func(r Result) bool { return r.Index != index })
	return results, len(results) > 0
}

// summarise finds where the contexts come from that fn returns.
func (i *Sources) summarise(fn *ssa.Function) []Result {
	i.mu.Lock()
	known, ok := i.results[fn]
	if !ok {
		i.results[fn] = nil // for recursion
	}
	i.mu.Unlock()
	if ok {
		return known
	}
	var results []Result
	for ret := range blocks.Returns(fn) {
		for index, v := range ret.Results {
			if !kubeapi.IsContext(v.Type()) {
				continue
			}
			for _, o := range i.Origins(v) {
				if r, ok := i.resultOf(fn, index, o); ok && !slices.Contains(results, r) {
					results = append(results, r)
				}
			}
		}
	}
	i.mu.Lock()
	i.results[fn] = results
	i.mu.Unlock()
	return results
}

// resultOf sees an origin of a returned context from outside. A nil context is
// none.
func (i *Sources) resultOf(fn *ssa.Function, index int, o Origin) (Result, bool) {
	r := Result{Index: index, Kind: o.Kind}
	switch root := o.Root.(type) {
	case *ssa.Const:
		return r, false
	case *ssa.Parameter:
		r.Param = slices.Index(fn.Params, root)
		if r.Param < 0 {
			r.Kind = Unknown // of the function around a literal
		}
	}
	for _, step := range o.Steps {
		r.Step = max(r.Step, step.Kind)
		r.Ends = r.Ends || step.Kind == Cancel && !step.ByCancel()
		if step.Known && (!r.Known || step.After < r.After) {
			r.After, r.Known = step.After, true
		}
		if step.Kind == Timeout && !step.Known {
			if limit := i.limitParam(fn, step.Call); limit >= 0 {
				r.Limit = limit + 1
			}
		}
	}
	return r, true
}

// limitParam returns which parameter of fn is the duration of a timeout, or -1.
func (i *Sources) limitParam(fn *ssa.Function, call *ssa.Call) int {
	_, limit, deadline, ok := kubeapi.TimeoutOf(call.Common())
	if !ok || deadline {
		return -1
	}
	param, _ := limit.(*ssa.Parameter)
	return slices.Index(fn.Params, param)
}

package reads

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// By what a predicate picks objects: what a selector of the cache could do as
// well.
const (
	byName      = "name"
	byNamespace = "namespace"
	byLabels    = "labels"
)

// filterOf returns by what the predicates of a watch, or of the builder that it
// belongs to, pick objects.
func (g *gatherer) filterOf(call ssa.CallInstruction, operands []ssa.Value) string {
	for _, v := range g.predicates(call.Common(), operands) {
		if by := g.filter(v, 0); by != "" {
			return by
		}
	}
	if len(operands) == 0 || !kubeapi.IsControllerBuilder(operands[0].Type()) {
		return ""
	}
	for _, other := range chain(call) {
		if fn := kubeapi.Callee(other.Common()); fn != nil && fn.Name() == "WithEventFilter" {
			if _, args := kubeapi.Args(other.Common()); len(args) == 1 {
				if by := g.filter(args[0], 0); by != "" {
					return by
				}
			}
		}
	}
	return ""
}

// chain returns the calls on a builder before and after one of them, as far as
// they are chained.
func chain(call ssa.CallInstruction) []ssa.CallInstruction {
	var calls []ssa.CallInstruction
	seen := make(map[ssa.CallInstruction]bool)
	var visit func(c ssa.CallInstruction)
	visit = func(c ssa.CallInstruction) {
		if seen[c] {
			return
		}
		seen[c] = true
		calls = append(calls, c)
		if recv, _ := kubeapi.Args(c.Common()); recv != nil {
			if before, ok := recv.(*ssa.Call); ok && kubeapi.IsControllerBuilder(before.Type()) {
				visit(before)
			}
		}
		v := c.Value()
		if v == nil || v.Referrers() == nil || !kubeapi.IsControllerBuilder(v.Type()) {
			return
		}
		for after := range blocks.UsesOf[ssa.CallInstruction](v) {
			if recv, _ := kubeapi.Args(after.Common()); recv == v {
				visit(after)
			}
		}
	}
	visit(call)
	return calls
}

// predicates returns the predicates among the arguments of a watch: as such, or
// in the builder's option.
func (g *gatherer) predicates(common *ssa.CallCommon, operands []ssa.Value) []ssa.Value {
	var found []ssa.Value
	for _, option := range variadic(common, operands) {
		if inner, ok := option.(*ssa.MakeInterface); ok {
			option = inner.X
		}
		if call, ok := option.(*ssa.Call); ok && kubeapi.IsWithPredicates(kubeapi.Callee(call.Common())) && len(call.Call.Args) == 1 {
			elements, _ := g.read.Elements(call.Call.Args[0])
			found = append(found, elements...)
			continue
		}
		if kubeapi.IsPredicate(option.Type()) {
			found = append(found, option)
		}
	}
	return found
}

const maxFilter = 6

// filter returns by what a predicate picks objects, or nothing if it does not,
// or may let others pass.
func (g *gatherer) filter(v ssa.Value, depth int) string {
	if depth > maxFilter {
		return ""
	}
	same := values.Relation{Steps: values.Converted | values.Held}
	v = same.End(v)
	if call, index := calls.CallOf(v); call != nil && index == 0 {
		return g.filterCall(call, depth)
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		return g.filterFuncs(v, depth)
	case *ssa.UnOp:
		if _, ok := v.X.(*ssa.Alloc); ok {
			return g.filterFuncs(v, depth)
		}
	}
	return ""
}

func (g *gatherer) filterCall(call *ssa.Call, depth int) string {
	fn := kubeapi.Callee(call.Common())
	args := call.Call.Args
	switch {
	case fn == nil:
		return ""
	case kubeapi.IsPredicateFunc(fn, "LabelSelectorPredicate"):
		if g.mayBeEmpty(call) {
			return ""
		}
		return byLabels
	case (kubeapi.IsPredicateFunc(fn, "NewPredicateFuncs") || kubeapi.IsPredicateFunc(fn, "NewTypedPredicateFuncs")) && len(args) == 1:
		return g.filterFunc(args[0], depth)
	case kubeapi.IsPredicateFunc(fn, "And") && len(args) == 1:
		elements, _ := g.read.Elements(args[0])
		for _, e := range elements {
			if by := g.filter(e, depth+1); by != "" {
				return by
			}
		}
		return ""
	}
	targets := g.calls.Callees(call)
	if !targets.Closed {
		return ""
	}
	by := ""
	for _, fn := range targets.Funcs {
		for ret := range blocks.Returns(fn) {
			if calls.IsNil(ret.Results[0]) && len(ret.Results) > 1 {
				continue // nil, err
			}
			if by = g.filter(ret.Results[0], depth+1); by == "" {
				return ""
			}
		}
	}
	return by
}

// mayBeEmpty reports whether the selector that a call is handed is made here, and may
// be left without a condition: one that is set only if a flag asks for it picks nothing
// for those who leave it out.
func (g *gatherer) mayBeEmpty(call *ssa.Call) bool {
	load, ok := call.Call.Args[0].(*ssa.UnOp)
	if !ok {
		return false
	}
	if _, ok := load.X.(*ssa.Alloc); !ok {
		return false
	}
	selector := g.read.Read(load)
	if selector.Open {
		return false
	}
	for _, stores := range selector.Stores {
		for _, store := range stores {
			if store.Parent() != call.Parent() || store.Block().Dominates(call.Block()) {
				return false
			}
		}
	}
	return true
}

// filterFuncs looks at predicate.Funcs: all that is let pass must be picked.
func (g *gatherer) filterFuncs(v ssa.Value, depth int) string {
	s := g.read.Read(v)
	if s.Open {
		return ""
	}
	by := ""
	for _, name := range []string{"CreateFunc", "UpdateFunc", "DeleteFunc", "GenericFunc"} {
		values := s.Values[name]
		if len(values) != 1 || literals.IsZero(values[0]) {
			if name == "GenericFunc" {
				continue // nothing calls it for an informer
			}
			return ""
		}
		if g.rejects(values[0]) {
			continue
		}
		found := g.filterFunc(values[0], depth)
		if found == "" {
			return ""
		}
		by = found
	}
	return by
}

// rejects reports whether a function always returns false.
func (g *gatherer) rejects(v ssa.Value) bool {
	targets := g.calls.FuncsOf(v)
	if !targets.Closed {
		return false
	}
	for _, fn := range targets.Funcs {
		for ret := range blocks.Returns(fn) {
			if len(ret.Results) != 1 || !literals.IsZero(ret.Results[0]) {
				return false
			}
		}
	}
	return true
}

// filterFunc returns by what a function of an object, or of an event, picks: it
// returns true only after a test of a name, a namespace or labels has held.
func (g *gatherer) filterFunc(v ssa.Value, depth int) string {
	targets := g.calls.FuncsOf(v)
	if !targets.Closed || len(targets.Funcs) != 1 || depth > maxFilter {
		return ""
	}
	return g.picks(targets.Funcs[0], depth)
}

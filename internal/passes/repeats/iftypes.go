package repeats

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// IfType is the type that an interface must hold for something to happen: that of a
// parameter, of which the receiver is 0.
type IfType struct {
	Param int
	Type  string
}

// asserted returns the types that parameters have wherever a call runs: it stands in one case of a
// switch, or behind an assertion.
func asserted(graph *calls.Graph, call *ssa.Call) []IfType {
	var found []IfType
	for branch, held := range blocks.Decided(call.Block()) {
		ok, isPart := branch.Cond.(*ssa.Extract)
		if !isPart || !held {
			continue
		}
		assertion, isAssertion := ok.Tuple.(*ssa.TypeAssert)
		if !isAssertion || types.IsInterface(assertion.AssertedType) {
			continue
		}
		if i := slices.Index(call.Parent().Params, values.Param(graph, assertion.X)); i >= 0 {
			found = append(found, IfType{i, types.TypeString(assertion.AssertedType, nil)})
		}
	}
	return found
}

// ifTypes returns the types that a function's parameters must have for a call to run, whose
// operands must have some themselves.
func (f *finder) ifTypes(call *ssa.Call, operands []IfType) []IfType {
	found := asserted(f.graph, call)
	ops := kubeapi.Operands(call.Common())
	for _, c := range operands {
		if i := slices.Index(call.Parent().Params, values.Param(f.graph, ops[c.Param])); i >= 0 {
			found = append(found, IfType{i, c.Type})
		}
	}
	return found
}

// operandsMayBe reports whether the operands of a call may have the types that they must have, and returns
// those that nobody knows.
func operandsMayBe(call ssa.CallInstruction, must []IfType) (unknown []IfType, may bool) {
	ops := kubeapi.Operands(call.Common())
	for _, c := range must {
		if c.Param >= len(ops) {
			continue
		}
		switch held := heldBy(ops[c.Param]); {
		case held == nil:
			unknown = append(unknown, c)
		case types.TypeString(held, nil) != c.Type:
			return nil, false
		}
	}
	return unknown, true
}

// heldBy returns the type that an interface holds, where it is known; nil otherwise.
func heldBy(v ssa.Value) types.Type {
	held := (values.Relation{Steps: values.Converted}).End(v).Type()
	if types.IsInterface(held) {
		return nil
	}
	return held
}

// Runs reports whether a call may run in the course of others, the last of which runs its function: not
// if it asks for a type that one of them hands over another one for.
func (i *Built) Runs(call *ssa.Call, more []IfType, by func(up int) ssa.CallInstruction) bool {
	if i.finder == nil {
		return true
	}
	must := i.finder.ifTypes(call, more)
	for up := 0; ; up++ {
		site := by(up)
		if site == nil {
			return true
		}
		unknown, may := operandsMayBe(site, must)
		if !may {
			return false
		}
		caller, ok := site.(*ssa.Call)
		if !ok {
			return true
		}
		must = i.finder.ifTypes(caller, unknown)
	}
}

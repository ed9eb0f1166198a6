package goroutines

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// askedFirst reports whether a call of another package's function, which starts
// something, is made only where something was not there yet: the object that was
// asked for it is the call's own receiver or argument, and it is that object that
// remembers what was started, as in
//
//	if !monitors.Has(key) {
//		monitors.Begin(key)
//	}
func (a *analysisState) askedFirst(at ssa.CallInstruction) bool {
	if len(a.graph.Callees(at).Funcs) > 0 {
		return false
	}
	handed := make(map[stateKey]bool)
	for _, operand := range kubeapi.Operands(at.Common()) {
		if key := a.stateOf(operand); key != nil {
			handed[key] = true
		}
	}
	for _, block := range at.Parent().Blocks {
		branch, ok := blocks.Last(block).(*ssa.If)
		if !ok || !decides(block, at.Block()) {
			continue
		}
		question, absent := askedFor(branch.Cond)
		if question == nil || len(a.graph.Callees(question).Funcs) > 0 {
			continue
		}
		recv, args := kubeapi.Args(question.Common())
		if recv == nil || !asksMemory(kubeapi.Callee(question.Common()), args) {
			continue
		}
		there := block.Succs[:1]
		if absent {
			there = block.Succs[1:]
		}
		if key := a.stateOf(recv); key != nil && handed[key] && !blocks.LeadAround(there, at.Block(), block) {
			return true
		}
	}
	return false
}

// askedFor returns the call whose answer a condition looks at: a boolean, or
// something that may be nil. absent tells that the condition holds if there is
// nothing.
func askedFor(cond ssa.Value) (question *ssa.Call, absent bool) {
	cond, holds := values.Asked(cond, true)
	if compare, ok := cond.(*ssa.BinOp); ok {
		if !calls.IsNil(compare.Y) || compare.Op != token.EQL && compare.Op != token.NEQ {
			return nil, false
		}
		cond, holds = compare.X, holds == (compare.Op == token.NEQ)
	}
	question, _ = calls.CallOf(cond)
	return question, question != nil && !holds
}

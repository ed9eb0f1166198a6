package goroutines

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// checks collects the state that a condition depends on.
type checks struct {
	a       *analysisState
	keys    map[stateKey]bool
	seen    map[ssa.Value]bool
	asked   map[*ssa.Function]bool // functions of the package that are asked
	slots   map[stateKey]bool      // channels of which the length is asked
	claimed bool                   // the check itself claims: CompareAndSwap, LoadOrStore, TryLock
}

func (c *checks) visit(v ssa.Value, depth int) {
	if v == nil || c.seen[v] || depth > 12 || kubeapi.IsError(v.Type()) {
		return
	}
	c.seen[v] = true
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if kept := c.a.keptVariable(load.X); kept != nil {
			c.keys[kept] = true
		}
	}
	parts := values.Relation{Calls: c.a.graph, Steps: values.Local | values.Computed}
	if from, _ := parts.Sources(v); len(from) > 0 {
		for _, part := range from {
			c.visit(part, depth+1)
		}
		return
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			c.state(v.X)
		}
	case *ssa.Extract:
		c.visit(v.Tuple, depth+1)
	case *ssa.Call:
		c.call(v, depth)
	}
	if m := calls.ElementOf(v); m != nil {
		c.state(m)
	} else if calls.FieldAt(v) != nil {
		c.state(v)
	}
}

// state records the field or global that v is loaded from.
func (c *checks) state(v ssa.Value) {
	if c.a.madeHere(v, 0) {
		return
	}
	if key := c.a.stateOf(v); key != nil {
		c.keys[key] = true
	}
}

// keptVariable returns the variable that addr denotes if a literal captures it
// and is itself kept: the variable then outlives the literal's calls.
func (a *analysisState) keptVariable(addr ssa.Value) *ssa.Alloc {
	captured, ok := addr.(*ssa.FreeVar)
	if !ok {
		return nil
	}
	for _, closure := range a.graph.Closures(captured.Parent()) {
		if a.escapes(closure, make(map[ssa.Value]bool)) {
			return a.cell(addr)
		}
	}
	return nil
}

// madeHere reports whether v lies in something that the call has for itself: a
// struct of its own, or what it has just made or fetched. What is noted there
// does not outlive the call.
func (a *analysisState) madeHere(v ssa.Value, depth int) bool {
	root := a.placeOf(v, nil).root
	switch r := root.(type) {
	case *ssa.Alloc:
		_, isStruct := r.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		return isStruct
	case *ssa.Call, *ssa.Extract:
		if call, index := calls.CallOf(r); call != nil {
			return a.madeBy(call, index, depth)
		}
	}
	_, isStruct := root.Type().Underlying().(*types.Struct)
	return isStruct
}

// madeBy reports whether the index-th result of a call was made or fetched by
// the callee, as opposed to looked up.
func (a *analysisState) madeBy(call *ssa.Call, index, depth int) bool {
	targets := a.graph.Callees(call).Funcs
	if len(targets) == 0 {
		callee := kubeapi.Callee(call.Common())
		recv, args := kubeapi.Args(call.Common())
		return recv == nil || !asksMemory(callee, args)
	}
	if depth > 2 {
		return false
	}
	for _, target := range targets {
		for ret := range blocks.Returns(target) {
			if !calls.IsNil(ret.Results[index]) && !a.madeHere(ret.Results[index], depth+1) {
				return false
			}
		}
	}
	return true
}

func (c *checks) call(call *ssa.Call, depth int) {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "len" {
			c.state(common.Args[0])
			if _, ok := common.Args[0].Type().Underlying().(*types.Chan); ok {
				if key := c.a.stateOf(common.Args[0]); key != nil {
					c.slots[key] = true
				}
			}
		}
		return
	}
	callee := kubeapi.Callee(common)
	recv, args := kubeapi.Args(common)
	if kubeapi.IsTestAndSet(callee) {
		c.claimed = true
		return
	}
	targets := c.a.graph.Callees(call).Funcs
	for _, target := range targets {
		c.asked[target] = true
		for _, block := range target.Blocks {
			if ret, ok := blocks.Last(block).(*ssa.Return); ok {
				for _, result := range ret.Results {
					c.visit(result, depth+3)
				}
			}
			// A helper decides by branches as well: if _, ok := m[k]; ok {
			// return true }.
			if branch, ok := blocks.Last(block).(*ssa.If); ok {
				c.visit(branch.Cond, depth+3)
			}
		}
	}
	if len(targets) > 0 || recv == nil || !asksMemory(callee, args) {
		return
	}
	c.state(recv)
}

// asksMemory reports whether a method of another package looks something up in
// memory: it takes no context and cannot fail.
func asksMemory(callee *types.Func, args []ssa.Value) bool {
	if callee == nil || kubeapi.IsQueue(callee.Signature().Recv().Type()) {
		return false
	}
	results := callee.Signature().Results()
	return results.Len() > 0 && !kubeapi.AnyIs(results, kubeapi.IsError) &&
		!slices.ContainsFunc(args, func(arg ssa.Value) bool { return kubeapi.IsContext(arg.Type()) })
}

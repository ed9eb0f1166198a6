package calls

import (
	"go/token"
	"iter"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxNoFail bounds how many functions an error that is never set comes through.
const maxNoFail = 4

// NeverFails reports whether the functions that a call may run are all seen, and
// return a nil error on every path that the call can take: one that refuses nil
// does not fail for the address of a variable.
func (g *Graph) NeverFails(call ssa.CallInstruction) bool { return g.neverFails(call, nil, 0) }

// IsNilError reports whether an error is nil whatever happens: it is a constant, or
// that of calls that never fail.
func (g *Graph) IsNilError(v ssa.Value) bool { return g.isNilError(v, nil, 0) }

// neverFails is [Graph.NeverFails] where the parameters in given, those of the
// function with the call, are known not to be nil.
func (g *Graph) neverFails(call ssa.CallInstruction, given map[*ssa.Parameter]bool, depth int) bool {
	targets := g.Callees(call)
	if !targets.Closed {
		// Of a function that is called by its name there is only one.
		if fn := call.Common().StaticCallee(); fn == nil || len(targets.Funcs) != 1 || targets.Funcs[0] != fn {
			return false
		}
	}
	if depth > maxNoFail || len(targets.Funcs) == 0 {
		return false
	}
	for _, fn := range targets.Funcs {
		handed := nonNil(call, fn, given)
		for block := range reachable(fn, handed) {
			ret, ok := blocks.Last(block).(*ssa.Return)
			if ok && len(ret.Results) > 0 && !g.isNilError(ret.Results[len(ret.Results)-1], handed, depth+1) {
				return false
			}
		}
	}
	return true
}

func (g *Graph) isNilError(v ssa.Value, given map[*ssa.Parameter]bool, depth int) bool {
	if depth > maxNoFail {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.Call:
		return g.neverFails(v, given, depth)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && v.Index == call.Call.Signature().Results().Len()-1 && g.neverFails(call, given, depth)
	case *ssa.Phi:
		for _, edge := range v.Edges {
			if !g.isNilError(edge, given, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// nonNil returns the parameters of fn that a call hands the address of something.
func nonNil(call ssa.CallInstruction, fn *ssa.Function, given map[*ssa.Parameter]bool) map[*ssa.Parameter]bool {
	handed := make(map[*ssa.Parameter]bool)
	operands := kubeapi.Operands(call.Common())
	if len(operands) != len(fn.Params) {
		return handed
	}
	for i, operand := range operands {
		switch operand := operand.(type) {
		case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
			handed[fn.Params[i]] = true
		case *ssa.Parameter:
			handed[fn.Params[i]] = given[operand]
		}
	}
	return handed
}

// reachable yields the blocks of fn that it can get to if these parameters are
// not nil.
func reachable(fn *ssa.Function, nonNil map[*ssa.Parameter]bool) iter.Seq[*ssa.BasicBlock] {
	return blocks.Walk(func(block *ssa.BasicBlock) []*ssa.BasicBlock {
		if never, ok := neverTaken(block, nonNil); ok {
			return block.Succs[1-never : 2-never]
		}
		return block.Succs
	}, fn.Blocks[0])
}

// neverTaken returns which way out of a block is for a parameter that is nil, if it
// asks for one that is not.
func neverTaken(block *ssa.BasicBlock, nonNil map[*ssa.Parameter]bool) (succ int, ok bool) {
	branch, ok := blocks.Last(block).(*ssa.If)
	if !ok {
		return 0, false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return 0, false
	}
	p, isParam := cond.X.(*ssa.Parameter)
	c, isConst := cond.Y.(*ssa.Const)
	if !isParam || !isConst || !c.IsNil() || !nonNil[p] {
		return 0, false
	}
	switch cond.Op {
	case token.EQL:
		return 0, true
	case token.NEQ:
		return 1, true
	}
	return 0, false
}

package repetitions

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/lives"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// After walks the blocks that can run after an instruction, without the ways
// that are taken only when it has failed itself, or when what outlives the call
// is over: a cache that has not synced when the component is told to end. visit
// gets each block with the index of its first instruction that counts, and
// says whether to go on from there.
func (u *Unit) After(at ssa.Instruction, visit func(block *ssa.BasicBlock, from int) bool) {
	seen := make(map[*ssa.BasicBlock]bool)
	var stack []*ssa.BasicBlock
	push := func(block *ssa.BasicBlock) {
		for i, succ := range block.Succs {
			if !seen[succ] && !u.isOver(block, i, at) {
				seen[succ] = true
				stack = append(stack, succ)
			}
		}
	}
	if visit(at.Block(), slices.Index(at.Block().Instrs, at)+1) {
		push(at.Block())
	}
	for len(stack) > 0 {
		block := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if visit(block, 0) {
			push(block)
		}
	}
}

// returnsAfter returns the returns that can follow an instruction.
func (u *Unit) returnsAfter(at ssa.Instruction) []*ssa.Return {
	var found []*ssa.Return
	u.After(at, func(block *ssa.BasicBlock, from int) bool {
		for _, instr := range block.Instrs[from:] {
			if ret, ok := instr.(*ssa.Return); ok {
				found = append(found, ret)
			}
		}
		return true
	})
	return found
}

// ComesBack reports whether an instruction can run again after itself.
func (u *Unit) ComesBack(at ssa.Instruction) bool {
	back := false
	first := true
	u.After(at, func(block *ssa.BasicBlock, _ int) bool {
		back = back || !first && block == at.Block()
		first = false
		return !back
	})
	return back
}

// isOver reports whether the i-th way out of a block is taken only when the
// instruction has failed, or something that outlives the call has ended.
func (u *Unit) isOver(block *ssa.BasicBlock, i int, at ssa.Instruction) bool {
	branch, ok := blocks.Last(block).(*ssa.If)
	if !ok {
		return false
	}
	cond, yes := values.Asked(branch.Cond, i == 0)
	switch cond := cond.(type) {
	case *ssa.Call:
		return !yes && u.waitsForEnd(cond)
	case *ssa.Extract:
		next, ok := cond.Tuple.(*ssa.Next)
		if !ok || cond.Index != 2 || yes {
			return false
		}
		if over, ok := next.Iter.(*ssa.Range); ok {
			call, ok := over.X.(*ssa.Call)
			return ok && u.waitsForEnd(call)
		}
	case *ssa.BinOp:
		err, failed := calls.Failure(cond, yes)
		if err == nil || !failed {
			return false
		}
		call, _ := calls.CallOf(err)
		if call == nil {
			return false
		}
		// If a call that concerns informers fails, it has done nothing; to add a handler fails only if the
		// informer has stopped.
		op, ok := kubeapi.InformerOpOf(call)
		return ok && (ssa.Instruction(call) == at || op.Verb == kubeapi.AddHandler && ssa.Value(call) != err) || u.waitsForEnd(call)
	}
	return false
}

// waitsForEnd reports whether a call waits for caches to be filled, itself or in
// a function of the package or a literal that it is handed, and gives up only when
// something has ended that outlives the call. A function of another package that is handed
// what outlives the call is taken for such.
func (u *Unit) waitsForEnd(call *ssa.Call) bool {
	if op, ok := kubeapi.InformerOpOf(call); ok {
		if op.Verb != kubeapi.WaitForSync && !op.Waits || op.Until == nil {
			return false
		}
		lasts, _ := u.LifeOf(op.Until, 0)
		return lasts >= lives.Owned
	}
	targets := u.Graph.Callees(call).Funcs
	if callee := kubeapi.Callee(call.Common()); len(targets) == 0 && callee != nil && u.Graph.SameModule(callee.Pkg()) {
		return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
			if _, isChannel := v.Type().Underlying().(*types.Chan); !isChannel && !kubeapi.IsContext(v.Type()) {
				return false
			}
			lasts, _ := u.LifeOf(v, 0)
			return lasts >= lives.Owned
		})
	}
	targets = slices.Clone(targets)
	for _, arg := range call.Call.Args {
		if kubeapi.IsFuncType(arg.Type()) {
			targets = append(targets, u.Graph.FuncsOf(arg).Funcs...)
		}
	}
	return slices.ContainsFunc(targets, func(target *ssa.Function) bool {
		return blocks.Any(target, func(inner *ssa.Call) bool {
			op, ok := kubeapi.InformerOpOf(inner)
			return ok && op.Verb == kubeapi.WaitForSync && u.waitsForEnd(inner)
		})
	})
}

// leftWhenDone reports whether a loop is left when the function that is called
// at site has come as far as inner, an instruction in it: the loop tries until
// it works.
func (u *Unit) leftWhenDone(loop *loops.Loop, site, inner ssa.CallInstruction) bool {
	call, ok := site.(*ssa.Call)
	if !ok || inner == nil {
		return false
	}
	returns := u.returnsAfter(inner)
	if len(returns) == 0 {
		return true
	}
	asked := false
	for block := range loop.Blocks {
		branch, ok := blocks.Last(block).(*ssa.If)
		if !ok {
			continue
		}
		index, test := resultTested(branch.Cond, call)
		if test == nil {
			continue
		}
		leaves := true
		for _, ret := range returns {
			if index >= len(ret.Results) {
				continue // a function that site only hands on
			}
			yes, known := test(returned(ret, index))
			if !known {
				continue
			}
			succ := block.Succs[1]
			if yes {
				succ = block.Succs[0]
			}
			leaves = leaves && !loop.Blocks[succ]
		}
		asked = asked || leaves
	}
	return asked
}

// returned is the index-th result of a return, also where it goes through the
// variable that deferred functions see.
func returned(ret *ssa.Return, index int) ssa.Value {
	v := ret.Results[index]
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	if last := calls.StoredLast(ret, load.X); last != nil {
		return last
	}
	return v
}

// resultTested reports which result of a call a condition is about, and how to
// tell the condition's outcome from what is returned.
func resultTested(cond ssa.Value, call *ssa.Call) (index int, test func(ssa.Value) (yes, known bool)) {
	cond, positive := values.Asked(cond, true)
	result := func(v ssa.Value) (int, bool) {
		of, index := calls.CallOf(v)
		return index, of == call
	}
	if cmp, ok := cond.(*ssa.BinOp); ok {
		err, failed := calls.Failure(cmp, positive)
		if err == nil {
			return 0, nil
		}
		index, ok := result(err)
		if !ok {
			return 0, nil
		}
		return index, func(v ssa.Value) (bool, bool) {
			if c, ok := v.(*ssa.Const); ok {
				return !failed == c.IsNil(), true
			}
			return failed, surelyFailed(v)
		}
	}
	index, ok := result(cond)
	if !ok {
		return 0, nil
	}
	return index, func(v ssa.Value) (bool, bool) {
		yes, known := kubeapi.ConstBool(v)
		return yes == positive, known
	}
}

// surelyFailed reports whether an error is made where it stands.
func surelyFailed(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.Call:
		callee := kubeapi.Callee(v.Common())
		return kubeapi.IsFunc(callee, "fmt", "Errorf") || kubeapi.IsFunc(callee, "errors", "New")
	}
	return false
}

package concurrency

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// loopsOf returns the natural loops of fn, each as the set of its blocks.
func loopsOf(fn *ssa.Function) []map[*ssa.BasicBlock]bool {
	byHead := make(map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool)
	var heads []*ssa.BasicBlock
	for _, block := range fn.Blocks {
		for _, head := range block.Succs {
			if !head.Dominates(block) {
				continue
			}
			loop := byHead[head]
			if loop == nil {
				loop = map[*ssa.BasicBlock]bool{head: true}
				byHead[head] = loop
				heads = append(heads, head)
			}
			stack := []*ssa.BasicBlock{block}
			for len(stack) > 0 {
				b := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if loop[b] {
					continue
				}
				loop[b] = true
				stack = append(stack, b.Preds...)
			}
		}
	}
	var loops []map[*ssa.BasicBlock]bool
	for _, head := range heads {
		loops = append(loops, byHead[head])
	}
	return loops
}

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
	if !canReturn(fn) {
		return true
	}
	for _, loop := range loopsOf(fn) {
		if waitsInside(loop) && a.leftOnlyWhenTold(loop) {
			return true
		}
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			if kubeapi.IsEndless(kubeapi.Callee(call.Common())) {
				return true
			}
			if callee := call.Common().StaticCallee(); callee != nil && callee.Blocks != nil && callee.Pkg == fn.Pkg && a.endless(callee, depth+1) {
				return true
			}
		}
	}
	return false
}

// canReturn reports whether a return of fn can be reached. A function that
// ends in a panic or the process's exit ends as well.
func canReturn(fn *ssa.Function) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	stack := []*ssa.BasicBlock{fn.Blocks[0]}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if len(b.Succs) == 0 {
			return true
		}
		stack = append(stack, b.Succs...)
	}
	return false
}

// waitsInside reports whether a loop waits in each round for something: a
// channel, a timer, a sleep. A loop that does not is a computation.
func waitsInside(loop map[*ssa.BasicBlock]bool) bool {
	for block := range loop {
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.Select:
				return true
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					return true
				}
			case *ssa.Call:
				if callee := kubeapi.Callee(instr.Common()); callee != nil && callee.FullName() == "time.Sleep" {
					return true
				}
			}
		}
	}
	return false
}

// leftOnlyWhenTold reports whether all ways out of a loop depend on which
// channel of a select was ready, on a channel being closed, or on a context
// being done; a timer or deadline ends it by itself.
func (a *analysisState) leftOnlyWhenTold(loop map[*ssa.BasicBlock]bool) bool {
	for block := range loop {
		for _, succ := range block.Succs {
			if loop[succ] || panics(succ) {
				continue
			}
			branch, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If)
			if !ok || !a.told(branch.Cond) {
				return false
			}
		}
	}
	return true
}

// panics reports whether a block does nothing but panic, as the one does that
// stands for a select without a ready case.
func panics(block *ssa.BasicBlock) bool {
	_, ok := lastInstr(block).(*ssa.Panic)
	return ok
}

// told reports whether a condition asks if somebody said stop.
func (a *analysisState) told(cond ssa.Value) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return a.told(c.X)
		}
	case *ssa.BinOp:
		extract, ok := c.X.(*ssa.Extract)
		if !ok {
			return a.told(c.X) || a.told(c.Y)
		}
		sel, ok := extract.Tuple.(*ssa.Select)
		if !ok || extract.Index != 0 {
			return a.told(c.X)
		}
		k, ok := c.Y.(*ssa.Const)
		if !ok || k.Value == nil {
			return false
		}
		if i := int(k.Int64()); 0 <= i && i < len(sel.States) {
			return a.stopSignal(sel.States[i].Chan)
		}
		return true
	case *ssa.Extract:
		switch tuple := c.Tuple.(type) {
		case *ssa.Select:
			return true
		case *ssa.UnOp:
			return tuple.Op == token.ARROW
		}
	case *ssa.Call:
		callee := kubeapi.Callee(c.Common())
		if callee == nil || callee.Name() != "Err" {
			return false
		}
		recv, _ := kubeapi.Args(c.Common())
		return recv != nil && kubeapi.IsContext(recv.Type()) && !a.expires(recv)
	}
	return false
}

// stopSignal reports whether a channel is a signal from elsewhere: not a
// timer's, and not that of a context with a deadline.
func (a *analysisState) stopSignal(ch ssa.Value) bool {
	if ctx := doneOf(ch); ctx != nil {
		return !a.expires(ctx)
	}
	t, ok := ch.Type().Underlying().(*types.Chan)
	return ok && !kubeapi.IsNamed(t.Elem(), "time", "Time")
}

// expires reports whether a context, or one that it derives from, is seen to
// have a deadline.
func (a *analysisState) expires(ctx ssa.Value) bool {
	for _, p := range a.contexts(ctx, nil) {
		extract, ok := p.root.(*ssa.Extract)
		if !ok {
			continue
		}
		call, ok := extract.Tuple.(*ssa.Call)
		if !ok {
			continue
		}
		if callee := kubeapi.Callee(call.Common()); callee != nil && (strings.HasPrefix(callee.Name(), "WithTimeout") || strings.HasPrefix(callee.Name(), "WithDeadline")) {
			return true
		}
	}
	return false
}

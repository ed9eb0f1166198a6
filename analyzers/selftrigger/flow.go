package selftrigger

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// eachTime reports whether an instruction runs in each reconcile that gets past a block,
// but for those that fail or find the object gone or being deleted: no other test leads
// away from it.
func eachTime(from *ssa.BasicBlock, at ssa.Instruction) bool {
	to := at.Block()
	if to == from {
		return true
	}
	if blocks.Repeats(to) {
		return false
	}
	for _, block := range to.Parent().Blocks {
		branch, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If)
		if !ok || block == to || !blocks.Reaches(from, block) || blocks.Reaches(block.Succs[0], to) == blocks.Reaches(block.Succs[1], to) {
			continue
		}
		if !isSetback(branch.Cond, 0) {
			return false
		}
	}
	return true
}

// isSetback reports whether a condition is one of an error, or of an object's deletion: a
// reconcile that goes on is the usual one.
func isSetback(v ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		if v.Op != token.EQL && v.Op != token.NEQ {
			return false
		}
		for _, side := range []ssa.Value{v.X, v.Y} {
			if kubeapi.IsError(side.Type()) || kubeapi.IsDeletionTime(calls.Behind(side)) {
				return true
			}
		}
	case *ssa.UnOp:
		return v.Op == token.NOT && isSetback(v.X, depth+1)
	case *ssa.Call:
		for _, operand := range kubeapi.Operands(v.Common()) {
			if kubeapi.IsError(operand.Type()) || kubeapi.IsDeletionTime(calls.Behind(operand)) {
				return true
			}
		}
	}
	return false
}

const maxDepth = 6

// maxCalls bounds the calls between Reconcile and what it does.
const maxCalls = 3

// frame is a function that each reconcile runs, and the call that does so.
type frame struct {
	graph *calls.Graph
	fn    *ssa.Function
	call  *ssa.Call // nil for Reconcile itself
	up    *frame
}

func (f *frame) depth() int {
	n := 0
	for f = f.up; f != nil; f = f.up {
		n++
	}
	return n
}

// runs reports whether a function is one of those on the way.
func (f *frame) runs(fn *ssa.Function) bool {
	for ; f != nil; f = f.up {
		if f.fn == fn {
			return true
		}
	}
	return false
}

// given returns what the function gets for a parameter, nil for all other values.
func (f *frame) given(v ssa.Value) ssa.Value {
	if p, ok := v.(*ssa.Parameter); ok && f.call != nil && p.Parent() == f.fn {
		return calls.ArgumentOf(f.call, p)
	}
	return nil
}

// differsEachTime reports whether a value is another one each time: the time, or a random
// one.
func (f *frame) differsEachTime(v ssa.Value, depth int) bool {
	if v == nil || depth > maxDepth {
		return false
	}
	v = f.origin(v)
	if given := f.given(v); given != nil {
		return f.up.differsEachTime(given, depth+1)
	}
	made := f.graph.Made(v)
	if made == nil {
		return false
	}
	fn := kubeapi.Callee(made)
	if fn == nil {
		return false
	}
	if kubeapi.TellsTime(fn) || kubeapi.IsRandom(fn) {
		return true
	}
	operands := kubeapi.Operands(made)
	return kubeapi.KeepsTime(fn) && len(operands) > 0 && f.differsEachTime(operands[0], depth+1)
}

// origin is the value that another one is, through what holds it.
func (f *frame) origin(v ssa.Value) ssa.Value {
	return values.Relation{Calls: f.graph, Steps: values.Same | values.Held, More: values.StoredOnce}.End(calls.Behind(v))
}

// inSeconds reports whether a time that is stored in a status is the same again within a second.
func (f *frame) inSeconds(v ssa.Value) bool {
	if kubeapi.IsInSeconds(kubeapi.Deref(v.Type())) {
		return true
	}
	made := f.graph.Made(f.origin(v))
	return made != nil && kubeapi.TellsSeconds(made)
}

// hasFreshCondition reports whether v is a list of conditions that is made here, one of which
// has the current time as the time of its last transition.
func (f *frame) hasFreshCondition(v ssa.Value) bool {
	slice, ok := v.(*ssa.Slice)
	if !ok {
		return false
	}
	array, ok := slice.X.(*ssa.Alloc)
	if !ok || array.Referrers() == nil {
		return false
	}
	for element := range blocks.UsesOf[*ssa.IndexAddr](array) {
		if element.Referrers() == nil {
			continue
		}
		for _, use := range *element.Referrers() {
			if field, ok := use.(*ssa.FieldAddr); ok && f.setsTransition(field) {
				return true
			}
			if store, ok := use.(*ssa.Store); ok && store.Addr == element && f.isFreshCondition(store.Val) {
				return true
			}
		}
	}
	return false
}

func (f *frame) isFreshCondition(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	alloc, ok := load.X.(*ssa.Alloc)
	if !ok || alloc.Referrers() == nil {
		return false
	}
	for _, ref := range *alloc.Referrers() {
		if field, ok := ref.(*ssa.FieldAddr); ok && f.setsTransition(field) {
			return true
		}
	}
	return false
}

func (f *frame) setsTransition(addr *ssa.FieldAddr) bool {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	if field == nil || field.Name() != "LastTransitionTime" || addr.Referrers() == nil {
		return false
	}
	for _, ref := range *addr.Referrers() {
		if store, ok := ref.(*ssa.Store); ok && store.Addr == addr && f.differsEachTime(store.Val, 0) {
			return true
		}
	}
	return false
}

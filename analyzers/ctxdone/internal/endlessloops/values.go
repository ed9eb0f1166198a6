package endlessloops

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxLookup bounds how far a value is followed.
const maxLookup = 24

// value judges what a value depends on.
func (w *lookups) value(v ssa.Value, depth int) verdict {
	if w.seen[v] {
		return neutral
	}
	if depth > maxLookup {
		return other
	}
	w.seen[v] = true
	depth++
	// A switch of its own: each kind is judged by itself: a merge at the head of a loop is no merge inside.
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin:
		return neutral
	case *ssa.Parameter:
		return w.parameter(v)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return w.load(v.X, depth)
		case token.ARROW:
			return other
		}
		return w.value(v.X, depth)
	case *ssa.BinOp:
		return max(w.value(v.X, depth), w.value(v.Y, depth))
	case *ssa.Phi:
		return w.phi(v, depth)
	case *ssa.Extract:
		// A switch of its own: the parts of a tuple are judged like what they are taken from.
		switch tuple := v.Tuple.(type) {
		case *ssa.Call:
			return w.result(tuple, v.Index, depth)
		case *ssa.Next:
			return w.value(tuple.Iter, depth)
		case *ssa.Lookup:
			return w.value(tuple, depth)
		case *ssa.TypeAssert:
			return w.value(tuple.X, depth)
		}
		return other
	case *ssa.Call:
		return w.result(v, 0, depth)
	case *ssa.Lookup:
		return max(w.value(v.X, depth), w.value(v.Index, depth))
	case *ssa.Range, *ssa.Index, *ssa.IndexAddr, *ssa.Field, *ssa.FieldAddr, *ssa.Slice,
		*ssa.Convert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert:
		return w.value(*v.(ssa.Instruction).Operands(nil)[0], depth)
	case *ssa.Alloc:
		return w.variable(v, depth)
	case *ssa.MakeMap:
		return w.collected(v)
	}
	return other
}

// collected judges a map that each round makes anew: what it holds depends on
// when something is put into it.
func (w *lookups) collected(made *ssa.MakeMap) verdict {
	if !w.loop.Blocks[made.Block()] {
		return other
	}
	result := neutral
	for update := range blocks.UsesOf[*ssa.MapUpdate](made) {
		for at := update.Block(); at != made.Block() && at != nil && w.loop.Blocks[at]; at = at.Idom() {
			branch, ok := blocks.Last(at.Idom()).(*ssa.If)
			if ok && isErrorCheck(branch.Cond) {
				result = max(result, w.cond(branch.Cond, at.Idom().Succs[0] != at, 1))
			}
		}
	}
	return result
}

// parameter judges a parameter of the loop's function. What cannot change
// while the loop runs is neutral.
func (w *lookups) parameter(p *ssa.Parameter) verdict {
	_, isBasic := p.Type().Underlying().(*types.Basic)
	switch isObject := kubeapi.IsObject(p.Type()); {
	case isObject && w.filled(p):
		return lookup
	case isObject, isBasic:
		return neutral
	}
	return other
}

// load judges what is stored at an address.
func (w *lookups) load(addr ssa.Value, depth int) verdict {
	if cell, ok := addr.(*ssa.Alloc); ok {
		return w.variable(cell, depth)
	}
	return w.value(addr, depth) // that of a global variable is another thing
}

// variable judges a local variable: an object that a client fills, or what is
// stored into it.
func (w *lookups) variable(cell *ssa.Alloc, depth int) verdict {
	if w.filled(cell) {
		return lookup
	}
	return w.stored(cell, func(stored ssa.Value) verdict { return w.value(stored, depth) })
}

// stored judges the values stored into a variable that belongs to the loop's
// function alone.
func (w *lookups) stored(cell *ssa.Alloc, judge func(ssa.Value) verdict) verdict {
	result := neutral
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != cell {
				return other
			}
			result = max(result, judge(ref.Val))
		case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice:
		default:
			return other
		}
	}
	return result
}

// filled reports whether a client reads into an object in the loop.
func (w *lookups) filled(object ssa.Value) bool {
	if !holdsObjects(object.Type(), 0) {
		return false
	}
	uses := slices.Collect(blocks.Uses(object))
	for iface := range blocks.UsesOf[*ssa.MakeInterface](object) {
		uses = slices.AppendSeq(uses, blocks.Uses(iface))
	}
	return slices.ContainsFunc(uses, func(use ssa.Instruction) bool {
		call, ok := use.(*ssa.Call)
		if !ok || !w.loop.Blocks[call.Block()] {
			return false
		}
		op, ok := kubeapi.ClientOp(call.Common())
		return ok && op.Verb.Reads()
	})
}

// phi judges a merge: the values that come in and, where these are constants,
// the conditions that choose. A counter of the loop bounds it.
func (w *lookups) phi(phi *ssa.Phi, depth int) verdict {
	block := phi.Block()
	result := neutral
	for i, edge := range phi.Edges {
		pred := block.Preds[i]
		if block == w.loop.Head && !w.loop.Blocks[pred] {
			continue // what it was before the loop
		}
		if step, ok := edge.(*ssa.BinOp); ok && (step.X == phi || step.Y == phi) {
			if block == w.loop.Head {
				return other // counts the rounds
			}
			continue // the index of a loop inside
		}
		if _, ok := edge.(*ssa.Const); ok {
			result = max(result, w.chosen(pred, block))
			continue
		}
		result = max(result, w.value(edge, depth))
	}
	return result
}

// chosen judges the conditions by which a merge is entered from one of its
// predecessors.
func (w *lookups) chosen(pred, merge *ssa.BasicBlock) verdict {
	result := neutral
	for at := pred; at != nil && w.loop.Blocks[at]; at = at.Idom() {
		if branch, ok := blocks.Last(at).(*ssa.If); ok && len(at.Succs) == 2 {
			if isErrorCheck(branch.Cond) {
				return other // which of both is not told
			}
			result = max(result, w.value(branch.Cond, 1))
		}
		if at == merge.Idom() || at == w.loop.Head {
			break
		}
	}
	return result
}

package maporder

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// happensOnChange reports whether an instruction runs only where something differs from what an
// object holds, such as the spec from the one that was worked on last: with nothing changed it
// does not run, and with something changed the object is written anyhow.
func happensOnChange(sums *objects.Summaries, instr ssa.Instruction) bool {
	search := differences{sums, make(map[ssa.Value]bool)}
	return sums.Calls.Everywhere(instr, func(at *calls.Site) bool {
		return search.isReachedBy(at.Block(), inObject) || givesUpOnGeneration(at.Instruction)
	})
}

// differences finds out where something is known to have changed.
type differences struct {
	sums *objects.Summaries
	seen map[ssa.Value]bool // flags that are being looked at
}

// A difference is what a branch says of whether something has changed.
type difference int

const (
	unknown  difference = iota
	nothing             // there is nothing yet that could have changed
	anywhere            // two values differ
	inObject            // one of them is what an object holds
)

// isReachedBy reports whether a block is reached only where there is at least such a difference.
func (d *differences) isReachedBy(block *ssa.BasicBlock, least difference) bool {
	for ; block != nil; block = block.Idom() {
		if d.at(block) >= least {
			return true
		}
	}
	return false
}

// at is the surest difference of those that the ways into a block tell of, if all do.
func (d *differences) at(block *ssa.BasicBlock) difference {
	surest := unknown
	for _, pred := range block.Preds {
		if block.Dominates(pred) {
			continue // the next round of a loop
		}
		branch, ok := blocks.Last(pred).(*ssa.If)
		if !ok || pred.Succs[0] == pred.Succs[1] {
			return unknown
		}
		found := d.where(branch.Cond, pred.Succs[0] == block)
		if found == unknown {
			return unknown
		}
		surest = max(surest, found)
	}
	return surest
}

// where is the difference that there is where a condition holds, or does not.
func (d *differences) where(cond ssa.Value, holds bool) difference {
	asked, answer := values.Asked(cond, holds)
	if compare, ok := asked.(*ssa.BinOp); ok {
		return d.between(compare, answer)
	}
	if call, ok := asked.(*ssa.Call); ok && !answer {
		if _, _, ok := kubeapi.Compared(call.Common()); ok {
			return inObject
		}
	}
	if _, ok := asked.(*ssa.Lookup); ok && !answer {
		return anywhere // the entry is new
	}
	if flag, ok := asked.(*ssa.Phi); ok && answer && d.isFlag(flag) {
		return inObject
	}
	return unknown
}

// between is the difference of what is compared by == or !=.
func (d *differences) between(compare *ssa.BinOp, holds bool) difference {
	if compare.Op != token.EQL && compare.Op != token.NEQ {
		return unknown
	}
	differ := (compare.Op == token.NEQ) == holds
	_, known := compare.Y.(*ssa.Const)
	switch call, _ := calls.CallOf(compare.X); {
	case calls.IsNil(compare.Y) && !differ && !kubeapi.IsError(compare.X.Type()):
		return nothing
	case !differ:
		return unknown
	case call != nil && isDiff(call.Common()):
		return inObject
	case known:
		return unknown
	case d.isHeld(compare.X) || d.isHeld(compare.Y):
		return inObject
	}
	return anywhere
}

// isDiff reports whether a call tells in which respect two values differ.
func isDiff(common *ssa.CallCommon) bool {
	_, _, ok := kubeapi.ComparedInOrder(common)
	return ok && !kubeapi.IsBool(common.Signature().Results().At(0).Type())
}

// isHeld reports whether a value is what an object holds, beyond its name.
func (d *differences) isHeld(v ssa.Value) bool {
	place := d.sums.Resolve.Place(v)
	return place.Kind != nil && place.Aspect()&(kubeapi.Spec|kubeapi.Status|kubeapi.Labels|kubeapi.Annotations) != 0
}

// isFlag reports whether a variable is true only where something differs:
//
//	if found.Spec.Image != image {
//		changed = true
//	}
func (d *differences) isFlag(flag *ssa.Phi) bool {
	if d.seen[flag] {
		return true
	}
	d.seen[flag] = true
	defer delete(d.seen, flag)
	set := false
	for i, edge := range flag.Edges {
		switch value, constant := kubeapi.ConstBool(edge); {
		case constant && !value:
		case constant:
			if set = d.isReachedBy(flag.Block().Preds[i], anywhere); !set {
				return false
			}
		default:
			if inner, ok := edge.(*ssa.Phi); !ok || !d.isFlag(inner) {
				return false
			}
			set = true
		}
	}
	return set
}

// givesUpOnGeneration reports whether a function gives up before an instruction if the generation
// of an object is the one that was worked on last.
func givesUpOnGeneration(instr ssa.Instruction) bool {
	return blocks.Any(instr.Parent(), func(branch *ssa.If) bool {
		asked, holds := values.Asked(branch.Cond, true)
		compare, ok := asked.(*ssa.BinOp)
		if !ok || compare.Op != token.EQL && compare.Op != token.NEQ || !isGenerations(compare) || !blocks.Reaches(branch.Block(), instr.Block()) {
			return false
		}
		same := blocks.Side(branch, (compare.Op == token.EQL) == holds)
		return same != instr.Block() && !blocks.Reaches(same, instr.Block())
	})
}

// isGenerations reports whether the generation of an object is compared with the one observed.
func isGenerations(compare *ssa.BinOp) bool {
	return kubeapi.IsGeneration(compare.X) && kubeapi.IsObservedGeneration(compare.Y) || kubeapi.IsGeneration(compare.Y) && kubeapi.IsObservedGeneration(compare.X)
}

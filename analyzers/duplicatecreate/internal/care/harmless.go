package care

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// lessened are the situations in which one object too many does little harm, or hardly ever
// comes about: such a creation is hygiene.
var lessened = []func(In, ssa.CallInstruction, *types.Named) bool{
	In.makesUp,
	In.conflicts,
	In.isDeaf,
}

// Harm is [rule.Hygiene] in those situations, and else none of its own.
func (c In) Harm(call ssa.CallInstruction, kind *types.Named) rule.Harm {
	if slices.ContainsFunc(lessened, func(holds func(In, ssa.CallInstruction, *types.Named) bool) bool { return holds(c, call, kind) }) {
		return rule.Hygiene
	}
	return 0
}

// maxDepth bounds how far calls are followed.
const maxDepth = 3

// makesUp reports whether the objects of a kind are counted, and what a number lacks is
// created: they have no names to tell them apart, as a ReplicaSet's Pods have none, and a pass
// that counts too many takes the rest away.
func (c In) makesUp(call ssa.CallInstruction, kind *types.Named) bool {
	return c.leadsTo(call, func(at ssa.CallInstruction) bool {
		for branch := range blocks.Above(at.Block()) {
			if c.countsUp(branch.Cond, kind) {
				return true
			}
		}
		return false
	}, 0)
}

// leadsTo reports whether something holds at a call, or at one that leads there.
func (c In) leadsTo(call ssa.CallInstruction, holds func(at ssa.CallInstruction) bool, depth int) bool {
	return holds(call) || depth <= maxDepth && slices.ContainsFunc(c.Sums.Calls.Callers(call.Parent()), func(caller ssa.CallInstruction) bool {
		return c.leadsTo(caller, holds, depth+1)
	})
}

// countsUp reports whether a condition is made of how many objects of a kind there are, as
// compared with how many there are to be. Whether there are any, or several, is no number.
func (c In) countsUp(cond ssa.Value, kind *types.Named) bool {
	return values.Relation{Calls: c.Sums.Calls, Steps: values.All}.Any(cond, func(v ssa.Value) bool {
		op, ok := v.(*ssa.BinOp)
		if !ok || !sets[op.Op] || !kubeapi.IsInteger(op.X.Type()) {
			return false
		}
		return c.isCount(op.X, kind) && isNumber(op.Y) || c.isCount(op.Y, kind) && isNumber(op.X)
	})
}

// sets are the operations that set a count against a number.
var sets = map[token.Token]bool{token.SUB: true, token.LSS: true, token.LEQ: true, token.GTR: true, token.GEQ: true, token.EQL: true, token.NEQ: true}

// isNumber reports whether a value may be how many there are to be: not none or one, and no
// index or count.
func isNumber(v ssa.Value) bool {
	if n, ok := calls.ConstIndex(v); ok {
		return n > 1
	}
	return !values.Relation{Steps: values.Converted | values.Merged}.Any(v, isNext)
}

// isNext reports whether a value is one more than the same in the round before.
func isNext(v ssa.Value) bool {
	sum, ok := v.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD {
		return false
	}
	before, ok := sum.X.(*ssa.Phi)
	if one, isConst := calls.ConstIndex(sum.Y); !ok || !isConst || one != 1 {
		return false
	}
	return values.Relation{Steps: values.Merged}.Any(before, func(v ssa.Value) bool { return v == ssa.Value(sum) })
}

// isCount reports whether a value tells how many objects of a kind there are: the length of a
// list of them, what a function makes of such a list, or what is counted in a loop over it.
func (c In) isCount(v ssa.Value, kind *types.Named) bool {
	return values.Relation{Calls: c.Sums.Calls, Steps: values.Package&^values.Asserted | values.Computed}.Any(v, func(v ssa.Value) bool {
		if call, ok := v.(*ssa.Call); ok {
			if of := calls.LengthOf(call); of != nil {
				return holdsMany(of.Type(), kind)
			}
			return kubeapi.IsInteger(call.Type()) && slices.ContainsFunc(kubeapi.Operands(call.Common()), func(arg ssa.Value) bool { return holdsMany(arg.Type(), kind) })
		}
		return isNext(v) && goesThrough(v.(*ssa.BinOp), kind)
	})
}

// goesThrough reports whether a counter counts in a loop over objects of a kind. It is not the
// loop's index.
func goesThrough(counter *ssa.BinOp, kind *types.Named) bool {
	return blocks.Any(counter.Parent(), func(at *ssa.IndexAddr) bool {
		return holdsMany(at.X.Type(), kind) && at.Index != counter.X && at.Index != ssa.Value(counter) && blocks.Repeats(at.Block()) && at.Block().Dominates(counter.Block())
	})
}

// holdsMany reports whether a type is a list or map of objects of a kind.
func holdsMany(t types.Type, kind *types.Named) bool {
	switch of := kubeapi.Deref(t).Underlying().(type) {
	case *types.Slice:
		return kubeapi.KindOf(of.Elem()) == kind
	case *types.Map:
		return kubeapi.KindOf(of.Elem()) == kind
	}
	return kubeapi.ListElem(t) == kind
}

// conflicts reports whether a pass that does not know yet of a creation fails before it comes
// to the next one: an object of another kind is always stored before, as of the version that was
// read, and again afterwards.
func (c In) conflicts(call ssa.CallInstruction, kind *types.Named) bool {
	var told []*types.Named
	return c.leadsTo(call, func(at ssa.CallInstruction) bool {
		var before []*types.Named
		for other := range blocks.InstrsOf[*ssa.Call](at.Parent()) {
			switch {
			case ssa.CallInstruction(other) == at:
			case blocks.Precedes(other, at):
				before = append(before, c.stores(other)...)
			case blocks.Precedes(at, other) && other.Block() == at.Block(), !succeedsAround(at.Block().Succs, other.Block()):
				told = append(told, c.stores(other)...)
			}
		}
		return slices.ContainsFunc(before, func(stored *types.Named) bool { return stored != kind && slices.Contains(told, stored) })
	}, 0)
}

// stores returns the kinds of which a call always updates an object, itself or in the one
// function that it runs, unless that fails.
func (c In) stores(call *ssa.Call) []*types.Named {
	if kind := c.updated(call); kind != nil {
		return []*types.Named{kind}
	}
	targets := c.Sums.Calls.Callees(call)
	if len(targets.Funcs) != 1 {
		return nil
	}
	var kinds []*types.Named
	for inner := range blocks.InstrsOf[*ssa.Call](targets.Funcs[0]) {
		if kind := c.updated(inner); kind != nil && !succeedsAround(inner.Parent().Blocks[:1], inner.Block()) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// updated returns the kind of the object that a call updates by itself, or nil.
func (c In) updated(call *ssa.Call) *types.Named {
	op, ok := c.Sums.ClientOp(call.Common())
	if !ok || op.Verb != kubeapi.Update || op.Object == nil {
		return nil
	}
	return kubeapi.KindOfValue(op.Object)
}

// succeedsAround reports whether a function may return from some blocks on, without passing another
// one, but after a failure.
func succeedsAround(from []*ssa.BasicBlock, block *ssa.BasicBlock) bool {
	for ret := range blocks.Returns(block.Parent()) {
		if ret.Block() != block && !calls.AfterFailure(ret) && blocks.LeadAround(from, ret.Block(), block) {
			return true
		}
	}
	return false
}

// isDeaf reports whether the controllers that get to a creation surely do not hear of what they
// write into their own objects' status: that does not run the next pass at once.
func (c In) isDeaf(call ssa.CallInstruction, _ *types.Named) bool {
	path := c.Entries.PathTo(call.Parent(), kubeapi.Reconcile)
	if path == nil {
		return false
	}
	deaf := false
	for _, controller := range c.Controllers.Local {
		if controller.ReconcileFn != path.Entry.Fn {
			continue
		}
		if !controller.IgnoresOwnStatus() {
			return false
		}
		deaf = true
	}
	return deaf
}

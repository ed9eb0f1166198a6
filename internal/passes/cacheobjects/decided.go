package cacheobjects

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isDecidedBy reports whether what an object holds decides whether an instruction runs: who finds
// an earlier change in it may take it for done. What is asked of parts that a write does not
// change tells nothing of that.
func (u *unit) isDecidedBy(e *event, instr ssa.Instruction) bool {
	changed := u.partOf(e)
	if slices.ContainsFunc(controls(instr.Block()), func(branch *ssa.If) bool { return u.asks(branch.Cond, e.from.src, changed) }) {
		return true
	}
	return slices.ContainsFunc(u.Calls.Closures(instr.Parent()), func(made *ssa.MakeClosure) bool {
		return u.has(made.Parent()) && u.isDecidedBy(e, made)
	})
}

// partOf is the path to what a store changes in an object of a known kind; nil if that is not known.
func (u *unit) partOf(e *event) []string {
	store, ok := e.instr.(*ssa.Store)
	if !ok || e.via != nil {
		return nil
	}
	place := u.sums.Resolve.Place(store.Addr)
	if place.Kind == nil {
		return nil
	}
	return place.Sub
}

// isElsewhere reports whether a value is a part of an object, or its address, beside the part that is
// changed.
func (u *unit) isElsewhere(v ssa.Value, changed []string) bool {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	field, ok := v.(*ssa.FieldAddr)
	if !ok || len(changed) == 0 {
		return false
	}
	place := u.sums.Resolve.Place(field)
	return place.IsInside() && !paths.Overlap(place.Sub, changed)
}

// controls are the branches that decide whether a block runs, and those that decide whether
// these do: after one side it runs whenever the function returns, after the other it may not.
func controls(block *ssa.BasicBlock) []*ssa.If {
	var found []*ssa.If
	open := []*ssa.BasicBlock{block}
	for len(open) > 0 {
		to := open[0]
		open = open[1:]
		without := blocks.ReturnsWithout(to)
		for _, from := range block.Parent().Blocks {
			branch, ok := blocks.Last(from).(*ssa.If)
			if ok && !slices.Contains(found, branch) && without[from.Succs[0].Index] != without[from.Succs[1].Index] {
				found = append(found, branch)
				open = append(open, from)
			}
		}
	}
	return found
}

// asks reports whether a condition depends on what the object of a source holds, or on another copy
// of it, by whose name it was read. That there is one, and of which type it is, is no question about
// that; nor is whether a request has failed, or what looks at the object.
func (u *unit) asks(cond ssa.Value, src *source, changed []string) bool {
	if test, ok := cond.(*ssa.BinOp); ok && kubeapi.IsError(test.X.Type()) {
		return false
	}
	copies := u.namesakes(src)
	made := values.Relation{
		Calls: u.Calls,
		Steps: values.Local | values.Taken | values.Computed,
		Until: func(v ssa.Value) bool {
			return u.isThere(v, src) || isAnswer(v) || isReadOf(v, src) || u.isElsewhere(v, changed)
		},
		More: ingredients,
	}
	return made.Any(cond, func(v ssa.Value) bool {
		return copies[v] || !u.isThere(v, src) && !u.isElsewhere(v, changed) && slices.ContainsFunc(u.get(v), func(o origin) bool { return o.src == src && o.put == "" })
	})
}

// namesakes are the objects of its kind by whose names the object of a source was read: the same, as a
// rule.
func (u *unit) namesakes(src *source) map[ssa.Value]bool {
	call, _ := calls.CallOf(src.value)
	if call == nil {
		return nil
	}
	kind := kubeapi.KindOf(src.value.Type())
	if kind == nil {
		kind = kubeapi.KindOfResult(call.Call.Signature())
	}
	found := make(map[ssa.Value]bool)
	of := values.Relation{Calls: u.Calls, Steps: values.Local | values.Taken | values.Computed, More: ingredients}
	for _, arg := range kubeapi.Operands(call.Common()) {
		of.Any(arg, func(v ssa.Value) bool {
			if kind != nil && kubeapi.KindOf(v.Type()) == kind {
				found[v] = true
			}
			return false
		})
	}
	return found
}

// isThere reports whether a value tells that there is an object, or of which type it is.
func (u *unit) isThere(v ssa.Value, src *source) bool {
	switch v := v.(type) {
	case *ssa.BinOp:
		if v.Op != token.EQL && v.Op != token.NEQ || !calls.IsNil(v.Y) {
			return false
		}
		return slices.ContainsFunc(u.get(v.X), func(o origin) bool { return o.src == src && o.put == "" && o.take == "" })
	case *ssa.Extract:
		_, asserts := v.Tuple.(*ssa.TypeAssert)
		return asserts && v.Index == 1
	}
	return false
}

// isReadOf reports whether a value is what the call tells that returned the object, such as whether
// there is one.
func isReadOf(v ssa.Value, src *source) bool {
	read, _ := calls.CallOf(src.value)
	call, _ := calls.CallOf(v)
	return call != nil && call == read && v != src.value
}

// isAnswer reports whether a value is what a request of a client returned.
func isAnswer(v ssa.Value) bool {
	call, _ := calls.CallOf(v)
	if call == nil {
		return false
	}
	_, ok := kubeapi.ClientOp(call.Common())
	return ok
}

// ingredients are what a call computes its results from, and, besides what a value may be, what
// decides which of these it is.
func ingredients(v ssa.Value) []ssa.Value {
	if result, ok := v.(*ssa.Extract); ok {
		if lookup, ok := result.Tuple.(*ssa.Lookup); ok {
			return []ssa.Value{lookup.X}
		}
		v = result.Tuple
	}
	switch v := v.(type) {
	case *ssa.Call:
		return kubeapi.Operands(v.Common())
	case *ssa.Phi:
		from := slices.Clone(v.Edges)
		for _, pred := range v.Block().Preds {
			for branch := range blocks.Above(pred) {
				if !v.Block().Idom().Dominates(branch.Block()) {
					break
				}
				from = append(from, branch.Cond)
			}
			if branch, ok := blocks.Last(pred).(*ssa.If); ok {
				from = append(from, branch.Cond)
			}
		}
		return from
	}
	return nil
}

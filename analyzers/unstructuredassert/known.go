package unstructuredassert

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// established reports whether it is known at an instruction that a place in
// the content is there: something that stands on every way to it has checked
// or set it, or would have panicked.
func (k *checker) established(at ssa.Instruction, c content, depth int) bool {
	fn := at.Parent()
	for _, block := range fn.Blocks {
		if !loops.Precedes(block.Instrs[0], at) && block != at.Block() {
			continue
		}
		for _, instr := range block.Instrs {
			if instr == at {
				break
			}
			if k.establishes(instr, at, c) {
				return true
			}
		}
	}
	return depth < 4 && k.establishedByCallers(fn, c, depth)
}

// establishedByCallers reports whether each call of the function is made where
// the place is known to be there.
func (k *checker) establishedByCallers(fn *ssa.Function, c content, depth int) bool {
	p, ok := c.root.(*ssa.Parameter)
	switch own := ok && p.Parent() == fn; {
	case !own && fn.Parent() != nil:
		return k.establishedAround(fn, c, depth)
	case !own:
		return false
	}
	args, _ := k.origins.Calls.Arguments(p)
	for _, arg := range args {
		outer := c
		outer.root = k.origin(arg.Value)
		if isContentType(p.Type()) {
			inner, ok := k.contentOf(arg.Value)
			if !ok || len(inner.path) > len(c.path) {
				return false
			}
			outer.root = inner.root
		}
		if !k.established(arg.Call, outer, depth+1) {
			return false
		}
	}
	return len(args) > 0
}

// establishedAround reports whether the place is known to be there where a literal
// is called, or, if that is not seen, where it is made.
func (k *checker) establishedAround(literal *ssa.Function, c content, depth int) bool {
	var at []ssa.Instruction
	for _, call := range k.graph.Callers(literal) {
		if call.Parent() != literal.Parent() {
			at = nil // somebody else calls it, in place or later
			break
		}
		at = append(at, call)
	}
	if used := blocks.SoleUse(literal); len(at) == 0 && used != nil {
		at = append(at, used) // made, or handed on
	}
	return len(at) > 0 && !slices.ContainsFunc(at, func(instr ssa.Instruction) bool { return !k.established(instr, c, depth+1) })
}

// establishes reports whether an instruction on every way to at tells that
// the place is there.
func (k *checker) establishes(instr, at ssa.Instruction, c content) bool {
	// A switch of its own: what an instruction tells by itself; nothing is followed.
	switch instr := instr.(type) {
	case *ssa.TypeAssert:
		other, ok := k.contentOf(instr.X)
		// Without a check it would have panicked there.
		return ok && samePlace(other, c) && (!instr.CommaOk || k.holds(at, extract(instr, 1), true))
	case *ssa.Lookup:
		other, ok := k.contentOf(instr)
		return ok && instr.CommaOk && samePlace(other, c) && k.holds(at, extract(instr, 1), true)
	case *ssa.BinOp:
		return k.notNil(instr, at, c)
	case *ssa.MapUpdate:
		other, ok := k.contentOf(instr.Map)
		return ok && samePlace(other.with(stepOf(instr.Key)), c)
	case *ssa.Call:
		return k.call(instr, at, c)
	}
	return false
}

// notNil reports whether a comparison with nil tells that the place is there.
func (k *checker) notNil(instr *ssa.BinOp, at ssa.Instruction, c content) bool {
	if instr.Op != token.EQL && instr.Op != token.NEQ {
		return false
	}
	x := instr.X
	other, isConst := kubeapi.Unboxed(instr.Y).(*ssa.Const)
	if !isConst {
		x = instr.Y
		if other, isConst = kubeapi.Unboxed(instr.X).(*ssa.Const); !isConst {
			return false
		}
	}
	place, ok := k.contentOf(x)
	if !ok || !samePlace(place, c) {
		return false
	}
	if other.IsNil() {
		return k.holds(at, instr, instr.Op == token.NEQ)
	}
	// x == "Ready": it is there, and a string.
	return other.Value != nil && k.holds(at, instr, instr.Op == token.EQL)
}

// call reports whether a call tells that the place is there.
func (k *checker) call(instr *ssa.Call, at ssa.Instruction, c content) bool {
	if nested, ok := kubeapi.NestedCallOf(instr.Common()); ok {
		place, ok := k.nested(nested, 0)
		return ok && beginsWith(place, c) && (nested.Sets || k.holds(at, extract(instr, 1), true))
	}
	return k.setBy(instr, c) || k.guards(instr, at, c)
}

// maxSetters bounds the functions that have each other set a place.
const maxSetters = 5

// setBy reports whether a function that is called sets the place, itself or by
// another one. The place is given as this call sees it, and as those do that lead to it:
// so does a literal of theirs that is handed on.
func (k *checker) setBy(call *ssa.Call, c content, outside ...content) bool {
	operands := kubeapi.Operands(call.Common())
	if k.setElsewhere(call, operands, c) {
		return true
	}
	for _, fn := range k.graph.Callees(call).Funcs {
		inside := c // the place as the function sees it
		if i := slices.IndexFunc(operands, func(v ssa.Value) bool {
			is := func(c content) bool { return values.Equal(k.origin(v), c.root, nil) }
			return is(c) || slices.ContainsFunc(outside, is)
		}); i >= 0 && i < len(fn.Params) {
			inside.root = fn.Params[i]
		}
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.Call:
				_, handed := instr.Call.Value.(*ssa.Parameter)
				if len(outside) < maxSetters && (handed || inside.root != c.root) && k.setBy(instr, inside, append(outside, c)...) {
					return true
				}
			case *ssa.MapUpdate:
				place, ok := k.contentOf(instr.Map)
				if !ok {
					continue
				}
				place = place.with(stepOf(instr.Key))
				if i := slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return place.root == p }); i >= 0 && i < len(operands) {
					place.root = k.origin(operands[i])
				}
				if samePlace(place, c) || slices.ContainsFunc(outside, func(c content) bool { return samePlace(place, c) }) {
					return true
				}
			}
		}
	}
	return false
}

// setElsewhere is setBy for a function of another package.
func (k *checker) setElsewhere(call *ssa.Call, operands []ssa.Value, c content) bool {
	fact := k.asserts.Elsewhere(call)
	if fact == nil {
		return false
	}
	for _, set := range fact.Sets {
		if set.Param >= len(operands) {
			continue
		}
		if place, ok := k.placeIn(operands[set.Param], set.Keys); ok && samePlace(place, c) {
			return true
		}
	}
	return false
}

// guards reports whether a call that is given the object has decided whether
// the code gets here: a check that is not looked into.
func (k *checker) guards(instr *ssa.Call, at ssa.Instruction, c content) bool {
	if _, isClient := kubeapi.ClientOp(instr.Common()); isClient {
		return false
	}
	callee := kubeapi.Callee(instr.Common())
	if callee != nil && (kubeapi.Logs(callee) || kubeapi.ContentOwner(instr.Common()) != nil) {
		return false
	}
	if !slices.ContainsFunc(instr.Common().Args, func(arg ssa.Value) bool {
		arg = kubeapi.Unboxed(arg)
		if recv, args := kubeapi.Args(instr.Common()); recv != nil && recv == arg && len(args) == 0 {
			return false // a getter
		}
		other, ok := k.contentOf(arg)
		return values.Equal(k.origin(arg), c.root, nil) || ok && values.Equal(other.root, c.root, nil)
	}) {
		return false
	}
	for _, result := range calls.AllResults(instr) {
		switch {
		case kubeapi.IsBool(result.Type()) && (k.holds(at, result, true) || k.holds(at, result, false)):
			return true
		case kubeapi.IsError(result.Type()) && k.isNil(at, result) && !k.graph.NeverFails(instr):
			return true
		}
	}
	return false
}

// holds reports whether a boolean has a value wherever at is reached.
func (k *checker) holds(at ssa.Instruction, v ssa.Value, want bool) bool {
	return v != nil && decided(at.Block(), func(cond ssa.Value, taken bool) bool {
		cond, taken = values.Asked(cond, taken)
		if cond == v {
			return taken == want
		}
		if b, ok := cond.(*ssa.BinOp); ok && b.X == v && (b.Op == token.EQL || b.Op == token.NEQ) {
			known, ok := kubeapi.ConstBool(b.Y)
			return ok && (known == (b.Op == token.EQL)) == (taken == want)
		}
		return false
	})
}

// isNil reports whether an error is nil wherever at is reached.
func (k *checker) isNil(at ssa.Instruction, v ssa.Value) bool {
	return decided(at.Block(), func(cond ssa.Value, taken bool) bool {
		b, ok := cond.(*ssa.BinOp)
		return ok && b.X == v && (b.Op == token.EQL || b.Op == token.NEQ) && calls.IsNil(b.Y) && (b.Op == token.EQL) == taken
	})
}

// decided calls test for the conditions that have been decided wherever a block
// is reached, and which way, until one does.
func decided(block *ssa.BasicBlock, test func(cond ssa.Value, taken bool) bool) bool {
	for branch, held := range blocks.Decided(block) {
		if test(branch.Cond, held) {
			return true
		}
	}
	return false
}

// samePlace reports whether two places are the same.
func samePlace(a, b content) bool { return len(a.path) == len(b.path) && beginsWith(a, b) }

// beginsWith reports whether the way to place leads through c.
func beginsWith(place, c content) bool {
	if len(c.path) > len(place.path) || !values.Equal(place.root, c.root, nil) {
		return false
	}
	for i, s := range c.path {
		other := place.path[i]
		if s.name != other.name || s.name == "" && !(s.key != nil && other.key != nil && values.Equal(s.key, other.key, nil)) {
			return false
		}
	}
	return true
}

// extract returns the index-th value of a tuple, or nil.
func extract(tuple ssa.Value, index int) ssa.Value {
	if parts := values.Extracted(tuple, index); len(parts) > 0 {
		return parts[0]
	}
	return nil
}

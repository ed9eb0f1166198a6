package cacheobjects

import (
	"go/token"
	"slices"

	"github.com/opvet/opvet/internal/ir/blocks"
	"golang.org/x/tools/go/ssa"
)

// A loop over a slice or map reaches each element once. What a round stores under
// its own index or key is not what a later round of the same loop finds:
//
//	for i, pod := range pods {
//		pod.Labels = nil          // what was there before the loop
//		pods[i], _ = lister.Get() // for whoever comes after it
//	}

// inRound notes the index under which a value is stored, if a loop counts it up.
func inRound(addr ssa.Value, list []origin) []origin {
	element, ok := addr.(*ssa.IndexAddr)
	if !ok || counter(element.Index) == nil {
		return list
	}
	return atKey(element.Index, list)
}

// atKey notes the index or key under which a value is stored.
func atKey(key ssa.Value, list []origin) []origin {
	if next, ok := key.(*ssa.Extract); ok {
		_, ok = next.Tuple.(*ssa.Next)
		if !ok {
			return list
		}
	} else if counter(key) == nil {
		return list
	}
	return each(list, func(o origin) (origin, bool) {
		o.at, o.passed = key, false
		return o, true
	})
}

// counter is the variable of the loop that counts an index up, or nil.
func counter(index ssa.Value) *ssa.Phi {
	if phi, ok := index.(*ssa.Phi); ok {
		if slices.ContainsFunc(phi.Edges, func(edge ssa.Value) bool { return follows(edge, phi) }) {
			return phi
		}
		return nil
	}
	// A range loop looks at the variable when it has been counted up.
	if next, ok := index.(*ssa.BinOp); ok {
		if phi, ok := next.X.(*ssa.Phi); ok && follows(next, phi) {
			return phi
		}
	}
	return nil
}

// follows reports whether a value is a variable and one.
func follows(v ssa.Value, phi *ssa.Phi) bool {
	add, ok := v.(*ssa.BinOp)
	if !ok || add.Op != token.ADD || add.X != phi {
		return false
	}
	one, ok := blocks.Number(add.Y)
	return ok && one == 1
}

// elementAt is the origin of the element at an index.
func (a origin) elementAt(index ssa.Value) (origin, bool) {
	if a.passed && a.at == index {
		return a, false
	}
	return a.field(element)
}

// isKeyOf reports whether the element was stored under the key of a round of a loop
// over a map, which has no later round for it.
func (a origin) isKeyOf(next *ssa.Next) bool {
	key, ok := a.at.(*ssa.Extract)
	return ok && key.Tuple == next
}

// goOn is what is known when the variable of a loop is set: to the next index,
// or to the first.
func (t *tracer) goOn(e env, phi *ssa.Phi, in ssa.Value) env {
	return t.eachAt(e, func(o origin) origin {
		if counter(o.at) == phi {
			if o.passed = in != nil && follows(in, phi); !o.passed {
				o.at = nil
			}
		}
		return o
	})
}

// restart is what is known when a loop over a map begins.
func (t *tracer) restart(e env, loop *ssa.Range) env {
	return t.eachAt(e, func(o origin) origin {
		if key, ok := o.at.(*ssa.Extract); ok && key.Tuple.(*ssa.Next).Iter == loop {
			o.at = nil
		}
		return o
	})
}

// eachAt changes those origins that lead through the element of a loop's round.
func (t *tracer) eachAt(e env, change func(origin) origin) env {
	next := e
	for _, b := range e {
		var list []origin
		for _, o := range b.list {
			if o.at != nil {
				o = change(o)
			}
			list, _ = merge(list, o)
		}
		next = t.set(next, b.v, list)
	}
	return next
}

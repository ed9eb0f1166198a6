package calls

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxAlways bounds the steps that Always and Everywhere take back.
const maxAlways = 12

// Always reports whether something holds of a value, or else of all that it may be:
// of what it is converted from, what is stored into the variable, what the functions of
// the package return, what all callers hand over for a parameter. A nil beside an error
// does not count.
//
// It is for excuses, which must not depend on whether code stands in one function or
// in a helper.
func (g *Graph) Always(v ssa.Value, holds func(ssa.Value) bool) bool {
	return g.always(v, holds, make(map[ssa.Value]bool), 0)
}

func (g *Graph) always(v ssa.Value, holds func(ssa.Value) bool, seen map[ssa.Value]bool, depth int) bool {
	switch {
	case v == nil || depth > maxAlways:
		return false
	case seen[v]:
		return true // on the way around a loop
	case holds(v):
		return true
	}
	seen[v] = true
	all := func(vs []ssa.Value) bool {
		return len(vs) > 0 && !slices.ContainsFunc(vs, func(v ssa.Value) bool { return !g.always(v, holds, seen, depth+1) })
	}
	if same := g.Same(v); same != nil {
		return g.always(same, holds, seen, depth+1)
	}
	switch v := v.(type) {
	case *ssa.Phi:
		return all(v.Edges)
	case *ssa.Parameter:
		args, known := g.HandedOver(v)
		return known && all(args)
	case *ssa.FreeVar:
		return all(g.bindings(v))
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return false
		}
		if cell, ok := captured(v.X).(*ssa.Alloc); ok {
			return all(StoredInto(cell))
		}
	case *ssa.Call:
		return all(g.results(v, 0))
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return all(g.results(call, v.Index))
		}
	}
	return false
}

// results returns what the functions of the package that a call runs return, nil if
// it may run others; a nil beside an error is left out.
func (g *Graph) results(call *ssa.Call, index int) []ssa.Value {
	found, closed := g.Results(call, index)
	if !closed {
		return nil
	}
	if call.Call.Signature().Results().Len() > 1 {
		found = slices.DeleteFunc(found, IsNil)
	}
	return found
}

// HandedOver returns what all callers hand over for a parameter; known is false if
// there may be others than those of the package.
func (g *Graph) HandedOver(p *ssa.Parameter) (args []ssa.Value, known bool) {
	handed, closed := g.Arguments(p)
	return Values(handed), closed && len(handed) > 0
}

// OnlyCallers returns the calls through which alone a function is run, as far as can be
// seen; nil if other packages can call it.
func (g *Graph) OnlyCallers(fn *ssa.Function) []ssa.CallInstruction {
	if fn.Parent() == nil && (fn.Object() == nil || fn.Object().Exported() && g.Pkg.Pkg.Name() != "main") {
		return nil
	}
	return g.callers[fn]
}

// Site is an instruction, and what values of a function that it is reached through
// are there.
type Site struct {
	ssa.Instruction
	g    *Graph
	call ssa.CallInstruction // of fn, nil at the beginning
	fn   *ssa.Function
	in   *Site
}

// Value returns what a value of the function that the search began in is at this site,
// or itself.
func (s *Site) Value(v ssa.Value) ssa.Value {
	if s.in == nil {
		return v
	}
	v = s.in.Value(v)
	switch inner := v.(type) {
	case *ssa.Parameter:
		if arg := ArgumentOf(s.call, inner); arg != nil && inner.Parent() == s.fn {
			return arg
		}
	case *ssa.FreeVar:
		if bound := s.g.Binding(inner); bound != nil {
			return bound
		}
	case *ssa.UnOp:
		if free, ok := inner.X.(*ssa.FreeVar); ok && inner.Op == token.MUL {
			if cell, ok := s.g.Binding(free).(*ssa.Alloc); ok {
				if held := HeldAt(cell, inner); held != nil {
					return held
				}
			}
		}
	}
	return v
}

// Everywhere reports whether something holds at an instruction, or else at all calls
// through which alone it is reached.
//
// It is for excuses on the way to a place, such as a check that comes before it.
func (g *Graph) Everywhere(at ssa.Instruction, holds func(at *Site) bool) bool {
	return g.everywhere(&Site{Instruction: at, g: g}, holds, 0)
}

func (g *Graph) everywhere(at *Site, holds func(at *Site) bool, depth int) bool {
	if holds(at) {
		return true
	}
	fn := at.Parent()
	sites := g.OnlyCallers(fn)
	if depth > maxAlways/2 || len(sites) == 0 {
		return false
	}
	for _, call := range sites {
		if call.Parent() == fn || !g.everywhere(&Site{Instruction: call, g: g, call: call, fn: fn, in: at}, holds, depth+1) {
			return false
		}
	}
	return true
}

package calls

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxEverywhere bounds the calls that Everywhere goes back.
const maxEverywhere = 6

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
	call ssa.CallInstruction // of fn; nil at the beginning, and where a literal is handed on
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
		if inner.Parent() != s.fn || s.call == nil {
			break
		}
		if arg := ArgumentOf(s.call, inner); arg != nil {
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
	if depth > maxEverywhere {
		return false
	}
	sites := g.OnlyCallers(fn)
	if len(sites) == 0 {
		call := g.handedOn(fn)
		return call != nil && g.everywhere(&Site{Instruction: call, g: g, fn: fn, in: at}, holds, depth+1)
	}
	return !slices.ContainsFunc(sites, func(call ssa.CallInstruction) bool {
		return call.Parent() == fn || !g.everywhere(&Site{Instruction: call, g: g, call: call, fn: fn, in: at}, holds, depth+1)
	})
}

// handedOn returns the one call that hands a literal to a function of another package of
// the module, where it is used for nothing else; nil if there is none.
func (g *Graph) handedOn(literal *ssa.Function) ssa.Instruction {
	made := g.closures[literal]
	if literal.Parent() == nil || len(made) != 1 {
		return nil
	}
	var only *ssa.Call
	for use := range blocks.Uses(made[0]) {
		if _, isDebug := use.(*ssa.DebugRef); isDebug {
			continue
		}
		call, ok := use.(*ssa.Call)
		if !ok || only != nil || call.Call.Value == made[0] {
			return nil
		}
		if callee := kubeapi.Callee(call.Common()); callee == nil || !g.SameModule(callee.Pkg()) {
			return nil
		}
		only = call
	}
	if only == nil {
		return nil
	}
	return only
}

package endlessloops

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// passesOn reports whether the functions of the package that a call runs hand
// their context on. One that does not will not fail because of it.
func (c *loopCheck) passesOn(call *ssa.Call) bool {
	return !slices.ContainsFunc(c.Graph.Callees(call).Funcs, func(fn *ssa.Function) bool {
		return !slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return kubeapi.IsContext(p.Type()) && !calls.Unused(p) })
	})
}

// listens reports whether a call runs a function that waits for a context or
// channel by itself, so that it may return without an error when that ends. A
// function of another package of the user's is taken to do so.
func (c *loopCheck) listens(call *ssa.Call) bool {
	if targets := c.Graph.Callees(call).Funcs; len(targets) > 0 {
		return slices.ContainsFunc(targets, func(fn *ssa.Function) bool { return c.waitsFor(fn, 0) })
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil {
		return true
	}
	if _, ok := kubeapi.ClientOp(call.Common()); ok {
		return false
	}
	return c.Graph.SameModule(callee.Pkg()) || kubeapi.IsEndless(callee) || servesUntilDone(callee.Name())
}

// servesUntilDone reports whether a function of that name goes on until its
// context has ended, which is no failure then: Run, Start, Serve, Wait.
func servesUntilDone(name string) bool {
	return slices.ContainsFunc([]string{"Run", "Start", "Serve", "Listen", "Wait", "Subscribe", "Consume", "Do"}, func(verb string) bool {
		return strings.HasPrefix(name, verb)
	})
}

// maxDescent is how far called functions are looked into.
const maxDescent = 12

// waitsFor reports whether fn, or what it calls in the package, waits for a
// channel or asks for a context's Err.
func (c *loopCheck) waitsFor(fn *ssa.Function, depth int) bool {
	if depth > maxDescent {
		return true // cannot tell
	}
	if known, ok := c.waits[fn]; ok {
		return known
	}
	c.waits[fn] = false // for recursion
	c.waits[fn] = blocks.Any(fn, func(instr ssa.Instruction) bool {
		if wait, ok := loops.WaitOf(instr); ok && !wait.Timed {
			return true
		}
		call, ok := instr.(*ssa.Call)
		inner := func(callee *ssa.Function) bool { return c.waitsFor(callee, depth+1) }
		return ok && (loops.ErrOf(call) != nil || slices.ContainsFunc(c.Graph.Callees(call).Funcs, inner))
	})
	return c.waits[fn]
}

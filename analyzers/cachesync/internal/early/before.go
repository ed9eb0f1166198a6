package early

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// beforeWait finds workers that are started before the function that starts
// them waits for the caches.
func (c *checker) beforeWait(use syncs.Use) {
	if !c.ReliesOnCaches(use) {
		return
	}
	fn := use.Instr.Parent()
	g := c.Graphs.Of(fn)
	var wait ssa.Instruction
	for _, at := range g.At(use.Instr) {
		if at.Frame.Parent != nil {
			return
		}
		if _, waited := g.Search(nil, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n == at {
				return stage, paths.Prune
			}
			if c.AsksAt(n.Instr) && blocks.Follows(n.Instr, use.Instr) {
				return stage, paths.Found
			}
			return stage, paths.Continue
		}); waited {
			return
		}
		_, ok := g.Search(at, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			call, ok := n.Instr.(*ssa.Call)
			if !ok || n.Joins != nil || n == at {
				return stage, paths.Continue
			}
			if op, ok := kubeapi.InformerOpOf(call); ok && op.Verb == kubeapi.WaitForSync {
				wait = call
				return stage, paths.Found
			}
			return stage, paths.Continue
		})
		if !ok {
			return
		}
	}
	if wait == nil || c.handlersAfter(wait) || !c.handlesEvents() {
		return
	}
	harm := c.HarmEarly(use)
	if harm < rule.Loss {
		harm = rule.Hygiene // it does nothing before others have waited but put what it finds into their queues
	}
	c.Harmful(use.Instr, subject.Missing, harm, fmt.Sprintf("objects seem not to exist to %s: it starts before the caches are filled (wait on line %d); start it after the wait",
		subject.Short(use.What), c.Line(wait)), subject.Related(wait, "the wait"))
}

// handlesEvents reports whether the package registers event handlers, which
// fill the queue as soon as informers run.
func (c *checker) handlesEvents() bool {
	return slices.ContainsFunc(c.Graph.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool {
			op, ok := kubeapi.InformerOpOf(call)
			return ok && op.Verb == kubeapi.AddHandler
		})
	})
}

// handlersAfter reports whether event handlers are registered after a wait:
// until then the queue is empty, and the workers have nothing to do.
func (c *checker) handlersAfter(wait ssa.Instruction) bool {
	return c.Graph.Everywhere(wait, func(at *calls.Site) bool {
		return blocks.Any(at.Parent(), func(call ssa.CallInstruction) bool {
			return blocks.Follows(at.Instruction, call) && c.registers(call, 0)
		})
	})
}

func (c *checker) registers(call ssa.CallInstruction, depth int) bool {
	if op, ok := kubeapi.InformerOpOf(call); ok {
		return op.Verb == kubeapi.AddHandler
	}
	if depth > 3 {
		return false
	}
	if slices.ContainsFunc(c.Graph.Callees(call).Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(inner ssa.CallInstruction) bool { return c.registers(inner, depth+1) })
	}) {
		return true
	}
	// A method of an interface, or a wrapper from elsewhere.
	callee := kubeapi.Callee(call.Common())
	return callee != nil && callee.Name() == "AddEventHandler"
}

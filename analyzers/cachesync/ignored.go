package cachesync

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ignored finds what is done with caches although the wait for them has failed:
// its result is dropped, or noted and not acted upon.
func (c *checker) ignored(w *syncs.Wait) bool {
	if w.Limit == syncs.Never || !w.Answers() || w.Request && !c.Report.Strict() {
		return false
	}
	if c.waitedBefore(w) && !c.Report.Strict() {
		return false // what is used may be what that was for
	}
	var assume map[ssa.Value]paths.Truth
	var failed map[*ssa.BasicBlock]bool
	dropped := calls.Unused(w.Call)
	if !dropped {
		if !kubeapi.IsBool(w.Call.Type()) || !onlyAsked(w.Call, 0) {
			return false
		}
		assume = map[ssa.Value]paths.Truth{w.Call: paths.False}
		failed = failureBlocks(w.Call)
		// Who gives up after a while, says so and goes on, means it.
		if w.Limit == syncs.Timed && !c.Report.Strict() || !onlyNotes(failed) {
			return false
		}
	}
	var found syncs.Use
	hangs := ssa.Instruction(nil)
	g, starts := c.around(w.Call)
	for _, start := range starts {
		_, ok := g.Search(g.Answered(start), 0, assume, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n.Joins != nil {
				return stage, paths.Continue
			}
			if c.ends(n, w, failed) {
				return stage, paths.Prune
			}
			for _, use := range c.RememberedUses(n.Instr) {
				if wrong, hang := c.harms(w, use); wrong {
					found, hangs = use, hang
					return stage, paths.Found
				}
			}
			return stage, paths.Continue
		})
		if ok {
			c.reportIgnored(w, found, hangs, dropped)
			return true
		}
	}
	return false
}

// around returns the graph of the function around an instruction, with what runs its
// literals, and the nodes of that; of a literal itself if somebody else runs it.
func (c *checker) around(at ssa.Instruction) (*paths.Graph, []*paths.Node) {
	g := c.Graphs.Of(paths.Outermost(at.Parent()))
	if nodes := g.At(at); len(nodes) > 0 {
		return g, nodes
	}
	g = c.Graphs.Of(at.Parent())
	return g, g.At(at)
}

// waitedBefore reports whether another wait, whose answer is used, comes before.
func (c *checker) waitedBefore(w *syncs.Wait) bool {
	at := c.outermost(w.Call)
	return slices.ContainsFunc(slices.Concat(c.Waits, c.Wrapped), func(other *syncs.Wait) bool {
		if other == w || other.Op.Verb != kubeapi.WaitForSync || calls.Unused(other.Call) {
			return false
		}
		before := c.outermost(other.Call)
		return before != at && before.Parent() == at.Parent() && blocks.Follows(before, at)
	})
}

// outermost returns the instruction of the declared function by which one of its
// literals, which nothing else runs, comes to an instruction; or that itself.
func (c *checker) outermost(at ssa.Instruction) ssa.Instruction {
	outer := paths.Outermost(at.Parent())
	for i := ssa.Instruction(at); ; {
		if i.Parent() == outer {
			return i
		}
		sites := c.Graph.OnlyCallers(i.Parent())
		if len(sites) != 1 || sites[0].Parent() == i.Parent() {
			return at
		}
		i = sites[0]
	}
}

// onlyAsked reports whether the result of a wait is used for conditions only,
// which a search along the paths understands.
func onlyAsked(v ssa.Value, depth int) bool {
	if depth > 3 {
		return false
	}
	return !blocks.AnyUse(v, func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.If, *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return !onlyAsked(ref, depth+1)
		}
		return true
	})
}

// failureBlocks are the blocks that only run if the wait has failed.
func failureBlocks(v ssa.Value) map[*ssa.BasicBlock]bool {
	only := make(map[*ssa.BasicBlock]bool)
	for _, block := range v.Parent().Blocks {
		for branch, holds := range blocks.Decided(block) {
			if question, answer := values.Asked(branch.Cond, holds); question == v && !answer {
				only[block] = true
			}
		}
	}
	return only
}

// onlyNotes reports whether the blocks that run after a failure log it and do
// nothing that what follows may know of.
func onlyNotes(failed map[*ssa.BasicBlock]bool) bool {
	for block := range failed {
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				switch instr.Addr.(type) {
				case *ssa.IndexAddr, *ssa.Alloc:
				default:
					return false
				}
			case *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Defer, *ssa.Select:
				return false
			}
		}
		for _, next := range block.Succs {
			if _, ok := next.Instrs[0].(*ssa.Phi); ok && !failed[next] {
				return false
			}
		}
	}
	return true
}

// ends reports whether a path need not be followed after a node: it waits
// again, asks whether it has to stop, or may end the process.
func (c *checker) ends(n *paths.Node, w *syncs.Wait, failed map[*ssa.BasicBlock]bool) bool {
	if w.Limit == syncs.Stop && (subject.Receives(n.Instr) || c.runsUntil(n, w)) {
		return true
	}
	call, ok := n.Instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if op, ok := kubeapi.InformerOpOf(call); ok && (op.Verb == kubeapi.WaitForSync || op.Verb == kubeapi.HasSynced) {
		return true
	}
	if slices.ContainsFunc(c.Wrapped, func(other *syncs.Wait) bool { return other != w && ssa.Instruction(other.Call) == n.Instr }) {
		return true
	}
	callee := kubeapi.Callee(call.Common())
	if callee != nil && neverReturns(callee.Name()) {
		return true
	}
	// A function of the program's own may end it.
	_, builtin := call.Common().Value.(*ssa.Builtin)
	return failed[n.Instr.Block()] && !builtin && (callee == nil || callee.Pkg() == nil || c.Graph.SameModule(callee.Pkg()))
}

// runsUntil reports whether a node belongs to a function that wait.Until or its
// like runs, until that ends with which the wait for the caches does.
func (c *checker) runsUntil(n *paths.Node, w *syncs.Wait) bool {
	for frame := n.Frame; frame.Call != nil; frame = frame.Parent {
		if wait, ok := kubeapi.WaitCall(frame.Call.Common()); ok && !wait.Poller && wait.Until != nil && c.Same(w.Until, wait.Until) {
			return true
		}
	}
	return false
}

// neverReturns recognises the functions of loggers, whichever they are, that
// end the process.
func neverReturns(name string) bool {
	return strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic") || strings.HasPrefix(name, "Exit")
}

// harms reports whether a use goes wrong when it comes after a wait that has
// failed. hang is the Wait of a wait group that then waits forever.
func (c *checker) harms(w *syncs.Wait, use syncs.Use) (wrong bool, hang ssa.Instruction) {
	if w.Limit == syncs.Timed || use.Kind == syncs.Reads {
		return true, nil
	}
	if use.Until == nil {
		return use.Worker != nil && !c.Pauses.Listens(use.Worker), nil
	}
	if !c.Same(w.Until, use.Until) {
		return c.Report.Strict(), nil
	}
	if hang = waitsForGroup(paths.Outermost(w.Call.Parent()), use); hang != nil {
		return true, hang
	}
	return c.Report.Strict(), nil
}

// waitsForGroup returns the call of a wait group's Wait that never returns if
// wait.Until does not call its function, which has the group's Done.
func waitsForGroup(fn *ssa.Function, use syncs.Use) ssa.Instruction {
	if use.Body == nil || use.Body.Parent() != fn || groupCall(use.Body, "Done") == nil {
		return nil
	}
	return groupCall(fn, "Wait")
}

func groupCall(fn *ssa.Function, method string) ssa.Instruction {
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		callee := kubeapi.Callee(call.Common())
		if callee != nil && callee.Name() == method && callee.Signature().Recv() != nil && kubeapi.IsNamed(callee.Signature().Recv().Type(), "sync", "WaitGroup") {
			return call
		}
	}
	return nil
}

func (c *checker) reportIgnored(w *syncs.Wait, use syncs.Use, hang ssa.Instruction, dropped bool) {
	itself := cmp.Or(w.Dropped, w)
	when := fmt.Sprintf("if %s ends before the sync", subject.Short(subject.Until(itself)))
	if w.Limit == syncs.Timed {
		when = "if the caches are not filled in time"
		if w.After > 0 {
			when = fmt.Sprintf("if the caches are not filled within %v", w.After)
		}
	}
	answer := "the result is dropped"
	if !dropped {
		answer = "the failure is only noted"
	}
	then := "objects seem missing to " + c.Use(use)
	if hang != nil {
		then = fmt.Sprintf("Wait on line %d blocks forever, as nothing calls Done", c.Line(hang))
	}
	remedy := "return if it is false"
	if !kubeapi.IsBool(w.Call.Type()) {
		remedy = "return if one is false"
	}
	switch {
	case w.Dropped != nil:
		remedy = "return it"
	case w.Elsewhere != "":
		answer, remedy = fmt.Sprintf("%s drops the result", subject.Short(c.Text(w.Call))), "let it return that"
	}
	c.Harmful(itself.Call, subject.Ignored, c.HarmIgnored(w, use), fmt.Sprintf("%s, %s: %s; %s", when, then, answer, remedy), subject.Related(use.Instr, "used here"))
}

// Package early finds caches that are used, and workers that are started, before anybody has waited.
package early

import (
	"cmp"
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// checker is what this package asks about.
type checker struct{ *subject.Checker }

// Report finds caches that are used, and workers that are started, before
// anybody has waited.
func Report(in *subject.Checker, fn *ssa.Function) {
	c := &checker{in}
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if op, ok := kubeapi.InformerOpOf(call); ok && !op.Cache && !op.Waits && (op.Verb == kubeapi.StartFactory || op.Verb == kubeapi.RunInformer) {
			c.afterStart(call, op)
		}
		if use, ok := c.Starts(call); ok {
			c.beforeWait(use)
		}
	}
}

// afterStart looks for what comes after the informers were started.
func (c *checker) afterStart(start ssa.CallInstruction, op kubeapi.InformerOp) {
	source := cmp.Or(op.Factory, op.Informer)
	if source == nil || subject.IsCommand(paths.Outermost(start.Parent())) || subject.MakesFake(paths.Outermost(start.Parent())) {
		return
	}
	if _, called := start.(*ssa.Call); called && op.Verb == kubeapi.RunInformer {
		return // it comes back when all is over
	}
	if c.askedBefore(start) {
		return // what is used later may have been there before
	}
	own := subject.Key(source)
	g := c.Graphs.Of(start.Parent())
	for _, at := range g.At(start) {
		var found syncs.Use
		_, ok := g.Search(at, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n.Joins != nil || n.Deferred {
				return stage, paths.Continue
			}
			if c.AsksAt(n.Instr) || subject.Receives(n.Instr) {
				return stage, paths.Prune
			}
			for _, use := range c.RememberedUses(n.Instr) {
				if c.early(use, own) {
					found = use
					return stage, paths.Found
				}
			}
			return stage, paths.Continue
		})
		if ok {
			c.reportEarly(start, found)
			return
		}
	}
}

// askedBefore reports whether its function has waited for caches before an
// instruction.
func (c *checker) askedBefore(at ssa.Instruction) bool {
	return blocks.Any(at.Parent(), func(instr ssa.Instruction) bool {
		call, ok := instr.(*ssa.Call)
		return ok && blocks.Follows(instr, at) && c.SurelyAsks(call)
	})
}

// early reports whether a use surely comes too early after informers were
// started.
func (c *checker) early(use syncs.Use, own any) bool {
	if use.Kind == syncs.Reads {
		// The same factory or informer; not in a loop, which may try again.
		return use.Lister != nil && own != nil && c.ListerSource(use.Lister) == own && c.MadeInPackage(use.Lister) && !c.repeats(use.Instr) && !c.repeats(use.At)
	}
	// Workers: only where nobody in the package knows of waiting, and the
	// caches matter to them.
	return !c.Asks && !c.HandsOut && c.ReliesOnCaches(use)
}

// repeats reports whether an instruction, or each call that leads to it, is in a loop.
func (c *checker) repeats(instr ssa.Instruction) bool {
	return c.Graph.Everywhere(instr, func(at *calls.Site) bool { return blocks.Repeats(at.Block()) })
}

func (c *checker) reportEarly(start ssa.CallInstruction, use syncs.Use) {
	says := "%s finds nothing: the informers of line %d have not filled the cache yet; call cache.WaitForCacheSync before"
	if use.Kind == syncs.Starts {
		says = "objects seem not to exist to %s: the informers of line %d have not filled their caches yet; call cache.WaitForCacheSync before"
	}
	c.Harmful(use.Instr, subject.Missing, c.HarmEarly(use), fmt.Sprintf(says, subject.Short(use.What), c.Line(start)),
		subject.Related(start, "the informers are started here"))
}

package cachesync

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Stages of the search for a use that comes too early.
const (
	running = iota
	slept
)

// tooEarly finds caches that are used, and workers that are started, before
// anybody has waited.
func (c *checker) tooEarly(fn *ssa.Function) {
	for instr := range blocks.Instrs(fn) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
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
	source := op.Factory
	if source == nil {
		source = op.Informer
	}
	if source == nil || isCommand(paths.Outermost(start.Parent())) || makesFake(paths.Outermost(start.Parent())) {
		return
	}
	if _, called := start.(*ssa.Call); called && op.Verb == kubeapi.RunInformer {
		return // it comes back when all is over
	}
	if c.askedBefore(start) {
		return // what is used later may have been there before
	}
	own := key(source)
	g := c.graph(start.Parent())
	for _, at := range g.At(start) {
		var pause ssa.Instruction
		var found syncs.Use
		path, ok := g.Search(at, running, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n.Joins != nil || n.Deferred {
				return stage, paths.Continue
			}
			if c.asksAt(n.Instr) {
				return stage, paths.Prune
			}
			if call, ok := n.Instr.(*ssa.Call); ok {
				if _, ok := kubeapi.Sleep(call.Common()); ok {
					return slept, paths.Continue
				}
			}
			if receives(n.Instr) {
				return stage, paths.Prune
			}
			for _, use := range c.usesAt(n.Instr) {
				if c.early(use, own) {
					found = use
					return stage, paths.Found
				}
			}
			return stage, paths.Continue
		})
		if !ok {
			continue
		}
		for _, n := range path {
			if call, ok := n.Instr.(*ssa.Call); ok {
				if _, ok := kubeapi.Sleep(call.Common()); ok {
					pause = call
				}
			}
		}
		c.reportEarly(start, found, pause)
		return
	}
}

// askedBefore reports whether its function has waited for caches before an
// instruction.
func (c *checker) askedBefore(at ssa.Instruction) bool {
	for instr := range blocks.Instrs(at.Parent()) {
		if call, ok := instr.(*ssa.Call); ok && blocks.Follows(instr, at) && c.surelyAsks(call) {
			return true
		}
	}
	return false
}

// surelyAsks reports whether a call waits for caches, or asks whether they are
// filled, itself or in a function of this package.
func (c *checker) surelyAsks(call ssa.CallInstruction) bool {
	if op, ok := kubeapi.InformerOpOf(call); ok {
		return op.Verb == kubeapi.WaitForSync || op.Verb == kubeapi.HasSynced || op.Waits
	}
	for _, fn := range c.Graph.Callees(call).Funcs {
		if c.Func(fn).Synced {
			return true
		}
	}
	return false
}

// asksAt reports whether an instruction waits for caches, asks whether they
// are filled, or may do so where that cannot be seen.
func (c *checker) asksAt(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if _, deferred := instr.(*ssa.Defer); !ok || deferred {
		return false
	}
	if c.surelyAsks(call) {
		return true
	}
	if _, isOp := kubeapi.InformerOpOf(call); isOp {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		_, builtin := call.Common().Value.(*ssa.Builtin)
		return !builtin && len(c.Graph.Callees(call).Funcs) == 0
	}
	if callee.Pkg() == c.pass.Pkg {
		return false
	}
	_, args := kubeapi.Args(call.Common())
	for _, arg := range args {
		if t := arg.Type(); kubeapi.IsInformer(t) || kubeapi.IsInformerFactory(t) || kubeapi.HasMethod(t, "Informer") {
			return true
		}
	}
	return false
}

// early reports whether a use surely comes too early after informers were
// started.
func (c *checker) early(use syncs.Use, own any) bool {
	if use.Kind == syncs.Reads {
		// The same factory or informer; not in a loop, which may try again.
		return use.Lister != nil && own != nil && c.listerSource(use.Lister) == own && c.madeInPackage(use.Lister) && !c.repeats(use.Instr) && !c.repeats(use.At)
	}
	// Workers: only where nobody in the package knows of waiting, and the
	// caches matter to them.
	return !c.Asks && !c.HandsOut && c.reliesOnCaches(use)
}

// repeats reports whether an instruction, or each call that leads to it, is in a loop.
func (c *checker) repeats(instr ssa.Instruction) bool {
	return c.Graph.Everywhere(instr, func(at *calls.Site) bool { return blocks.Repeats(at.Block()) })
}

// reliesOnCaches reports whether a worker reads more than the object of its
// key: it lists, or reads from several listers. A key of the informer's own is
// in the cache already when it comes out of the queue.
func (c *checker) reliesOnCaches(use syncs.Use) bool {
	if use.Worker == nil {
		return false
	}
	readers := make(map[string]bool)
	for _, fn := range c.WorksOn(use.Worker) {
		for instr := range blocks.Instrs(fn) {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			callee := kubeapi.Callee(call.Common())
			recv, _ := kubeapi.Args(call.Common())
			if callee == nil || recv == nil {
				continue
			}
			read, ok := kubeapi.CacheReadOf(callee, recv)
			if !ok || read.Doubtful {
				continue
			}
			if read.Source == kubeapi.ListerObject && read.Slice {
				return true
			}
			if read.Source == kubeapi.ListerObject {
				readers[recv.Type().String()] = true
			}
		}
	}
	return len(readers) > 1
}

func (c *checker) reportEarly(start ssa.CallInstruction, use syncs.Use, pause ssa.Instruction) {
	if pause != nil {
		c.harmful(pause, sleep, c.harmEarly(use), fmt.Sprintf("objects may seem not to exist to %s: time.Sleep does not wait until the caches are filled; use cache.WaitForCacheSync", c.use(use)),
			related(start, "the informers are started here"), related(use.Instr, "used here"))
		return
	}
	at := use.Instr
	if use.Kind == syncs.Starts {
		c.harmful(at, missing, c.harmEarly(use), fmt.Sprintf("objects seem not to exist to %s: the informers of line %d have not filled their caches yet; call cache.WaitForCacheSync before", short(use.What), c.line(start)),
			related(start, "the informers are started here"))
		return
	}
	c.harmful(at, missing, c.harmEarly(use), fmt.Sprintf("%s finds nothing: the informers of line %d have not filled the cache yet; call cache.WaitForCacheSync before", short(use.What), c.line(start)),
		related(start, "the informers are started here"))
}

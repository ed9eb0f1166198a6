package cachesync

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/synced"
)

// Stages of the search for a use that comes too early.
const (
	running = iota
	slept
)

// tooEarly finds caches that are used, and workers that are started, before
// anybody has waited.
func (c *checker) tooEarly(fn *ssa.Function) {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
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
}

// afterStart looks for what comes after the informers were started.
func (c *checker) afterStart(start ssa.CallInstruction, op kubeapi.InformerOp) {
	source := op.Factory
	if source == nil {
		source = op.Informer
	}
	if source == nil || isCommand(flow.Outermost(start.Parent())) || makesFake(flow.Outermost(start.Parent())) {
		return
	}
	if start, isGo := start.(*ssa.Call); isGo && op.Verb == kubeapi.RunInformer {
		_ = start
		return // it comes back when all is over
	}
	own := key(source)
	g := c.graph(start.Parent())
	for _, at := range g.At(start) {
		var pause ssa.Instruction
		var found synced.Use
		path, ok := g.Search(at, running, nil, func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
			if n.Joins != nil || n.Deferred {
				return stage, flow.Continue
			}
			if c.asksAt(n.Instr) {
				return stage, flow.Prune
			}
			if call, ok := n.Instr.(*ssa.Call); ok {
				if _, ok := kubeapi.Sleep(call.Common()); ok {
					return slept, flow.Continue
				}
			}
			if receives(n.Instr) {
				return stage, flow.Prune
			}
			for _, use := range c.usesAt(n.Instr) {
				if c.early(use, own, stage) {
					found = use
					return stage, flow.Found
				}
			}
			return stage, flow.Continue
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

// asksAt reports whether an instruction waits for caches, asks whether they
// are filled, or may do so where that cannot be seen.
func (c *checker) asksAt(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	op, ok := kubeapi.InformerOpOf(call)
	if ok {
		return op.Verb == kubeapi.WaitForSync || op.Verb == kubeapi.HasSynced || op.Waits
	}
	for _, fn := range c.Graph.Callees(call).Funcs {
		if c.Func(fn).Synced {
			return true
		}
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
func (c *checker) early(use synced.Use, own any, stage int) bool {
	if use.Kind == synced.Reads {
		// The same factory or informer; not in a loop, which may try again.
		return use.Via == nil && own != nil && c.listerSource(use.Lister) == own && madeInPackage(use.Lister, c) && !callgraph.Follows(use.At, use.At)
	}
	// Workers: only where nobody in the package knows of waiting, and the
	// caches matter to them.
	return !c.Asks && !c.HandsOut && c.reliesOnCaches(use)
}

// key identifies a factory or informer: the field or variable that holds it,
// or the call that makes it.
func key(v ssa.Value) any {
	for range 10 {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.UnOp:
			switch addr := x.X.(type) {
			case *ssa.FieldAddr:
				return callgraph.FieldOf(addr.X.Type(), addr.Field)
			case *ssa.Alloc:
				if values := callgraph.StoredInto(addr); len(values) == 1 {
					v = values[0]
					continue
				}
				return addr
			case *ssa.FreeVar:
				return addr
			}
			return nil
		case *ssa.Parameter:
			return x
		case *ssa.Call:
			if op, ok := kubeapi.InformerOpOf(x); ok && op.Verb == kubeapi.RequestInformer && op.Factory != nil {
				v = op.Factory
				continue
			}
			return x
		default:
			return nil
		}
	}
	return nil
}

// listerSource is the key of the factory or informer that a lister or store
// belongs to, as far as that can be seen in one function.
func (c *checker) listerSource(v ssa.Value) any {
	for range 10 {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.UnOp:
			addr, ok := x.X.(*ssa.Alloc)
			if !ok {
				return nil
			}
			values := callgraph.StoredInto(addr)
			if len(values) != 1 {
				return nil
			}
			v = values[0]
		case *ssa.Call:
			if op, ok := kubeapi.InformerOpOf(x); ok {
				if op.Verb == kubeapi.RequestInformer && op.Factory != nil {
					return key(op.Factory)
				}
				return key(x)
			}
			recv, _ := kubeapi.Args(x.Common())
			if recv == nil {
				return nil
			}
			if callee := kubeapi.Callee(x.Common()); callee != nil && kubeapi.IsInformerStore(callee) {
				return key(recv)
			}
			v = recv
		default:
			return nil
		}
	}
	return nil
}

// madeInPackage reports whether the factory or informer behind a lister is made
// in this package, so that nobody else can have started it before.
func madeInPackage(lister ssa.Value, c *checker) bool {
	switch source := c.listerSource(lister).(type) {
	case *ssa.Call:
		op, ok := kubeapi.InformerOpOf(source)
		return ok && (op.Verb == kubeapi.NewFactory || op.Verb == kubeapi.NewInformer)
	case *types.Var:
		return source.Pkg() == c.pass.Pkg && c.isMade(source)
	}
	return false
}

// isMade reports whether all that the package stores into a field are factories
// and informers that it makes.
func (c *checker) isMade(field *types.Var) bool {
	found := false
	for _, fn := range c.Graph.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				store, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				addr, ok := store.Addr.(*ssa.FieldAddr)
				if !ok || callgraph.FieldOf(addr.X.Type(), addr.Field) != field {
					continue
				}
				made, ok := key(store.Val).(*ssa.Call)
				if !ok {
					return false
				}
				if op, ok := kubeapi.InformerOpOf(made); !ok || op.Verb != kubeapi.NewFactory && op.Verb != kubeapi.NewInformer {
					return false
				}
				found = true
			}
		}
	}
	return found
}

// reliesOnCaches reports whether a worker reads more than the object of its
// key: it lists, or reads from several listers. A key of the informer's own is
// in the cache already when it comes out of the queue.
func (c *checker) reliesOnCaches(use synced.Use) bool {
	if use.Worker == nil {
		return false
	}
	readers := make(map[string]bool)
	for _, fn := range c.WorksOn(use.Worker) {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
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
	}
	return len(readers) > 1
}

// beforeWait finds workers that are started before the function that starts
// them waits for the caches.
func (c *checker) beforeWait(use synced.Use) {
	if !c.reliesOnCaches(use) {
		return
	}
	fn := use.Instr.Parent()
	g := c.graph(fn)
	var wait ssa.Instruction
	for _, at := range g.At(use.Instr) {
		if at.Frame.Parent != nil {
			return
		}
		waited := false
		_, _ = g.Search(nil, 0, nil, func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
			if n == at {
				return stage, flow.Prune
			}
			if c.asksAt(n.Instr) && callgraph.Follows(n.Instr, use.Instr) {
				waited = true
				return stage, flow.Found
			}
			return stage, flow.Continue
		})
		if waited {
			return
		}
		_, ok := g.Search(at, 0, nil, func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
			call, ok := n.Instr.(*ssa.Call)
			if !ok || n.Joins != nil || n == at {
				return stage, flow.Continue
			}
			if op, ok := kubeapi.InformerOpOf(call); ok && op.Verb == kubeapi.WaitForSync {
				wait = call
				return stage, flow.Found
			}
			return stage, flow.Continue
		})
		if !ok {
			return
		}
	}
	if wait == nil || c.handlersAfter(wait) || !c.runsBefore(use.Instr) {
		return
	}
	c.finding(use.Instr, missing, fmt.Sprintf("%s starts here before the caches are filled, which is waited for on line %d only: until then objects are missing, as if they did not exist; start it after that",
		use.What, c.line(wait)), related(wait, "the wait"))
}

// runsBefore reports whether informers are started, and handlers are
// registered, before an instruction or outside its function: only then does
// the queue fill up.
func (c *checker) runsBefore(at ssa.Instruction) bool {
	handlers := false
	for _, fn := range c.Graph.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if op, ok := kubeapi.InformerOpOf(call); ok && op.Verb == kubeapi.AddHandler {
					handlers = true
				}
			}
		}
	}
	return handlers
}

// handlersAfter reports whether event handlers are registered after a wait:
// until then the queue is empty, and the workers have nothing to do.
func (c *checker) handlersAfter(wait ssa.Instruction) bool {
	fn := wait.Parent()
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if ok && callgraph.Follows(wait, call) && c.registers(call, 0) {
				return true
			}
		}
	}
	return false
}

func (c *checker) registers(call ssa.CallInstruction, depth int) bool {
	if op, ok := kubeapi.InformerOpOf(call); ok {
		return op.Verb == kubeapi.AddHandler
	}
	if depth > 3 {
		return false
	}
	for _, fn := range c.Graph.Callees(call).Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if inner, ok := instr.(ssa.CallInstruction); ok && c.registers(inner, depth+1) {
					return true
				}
			}
		}
	}
	// A method of an interface, or a wrapper from elsewhere.
	callee := kubeapi.Callee(call.Common())
	return callee != nil && callee.Name() == "AddEventHandler"
}

func (c *checker) reportEarly(start ssa.CallInstruction, use synced.Use, pause ssa.Instruction) {
	then := c.use(use)
	if use.Kind == synced.Starts {
		then += " on caches"
	} else {
		then += " a cache"
	}
	if pause != nil {
		c.finding(pause, sleep, fmt.Sprintf("time.Sleep does not wait until the caches are filled, which takes as long as the API server needs: %s in which objects may be missing, as if they did not exist; use cache.WaitForCacheSync", then),
			related(start, "the informers are started here"), related(use.Instr, "used here"))
		return
	}
	at := ssa.Instruction(use.Instr)
	if use.Kind == synced.Starts {
		c.finding(at, missing, fmt.Sprintf("%s starts while the informers that were started on line %d are still filling their caches: objects are missing there, as if they did not exist; call cache.WaitForCacheSync before", use.What, c.line(start)),
			related(start, "the informers are started here"))
		return
	}
	c.finding(at, missing, fmt.Sprintf("%s reads a cache that is still empty: the informers that were started on line %d have yet to fill it; call cache.WaitForCacheSync before", use.What, c.line(start)),
		related(start, "the informers are started here"))
}

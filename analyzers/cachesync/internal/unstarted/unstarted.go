// Package unstarted finds waits for informers that nothing has started.
package unstarted

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Report finds waits for informers that are made in the same function and
// that nothing starts.
func Report(in *subject.Checker, w *syncs.Wait) bool {
	c := &checker{in}
	if w.Op.Verb != kubeapi.WaitForSync || w.Op.Cache {
		return false
	}
	if w.Op.Factory != nil {
		if made := madeHere(w.Op.Factory, w.Call.Parent()); made != nil && idle(made) {
			c.Finding(w.Call, subject.NotStarted, fmt.Sprintf("all listers of this factory stay empty: nothing starts it, and %s returns at once; call Start before it", subject.Short(c.Text(w.Call))),
				subject.Related(made, "the factory is made here"))
			return true
		}
		return false
	}
	for _, v := range w.Op.Synced {
		informer := boundTo(v)
		if informer == nil {
			continue
		}
		if run := c.runsAfter(w, informer); run != nil {
			c.Finding(w.Call, subject.NotStarted, fmt.Sprintf("%s waits in vain: the informer runs only from line %d on, after the wait; run it in a goroutine before", subject.Short(c.Text(w.Call)), c.Line(run)),
				subject.Related(run, "it runs here"))
			return true
		}
		made := madeHere(informer, w.Call.Parent())
		if made == nil || !idle(made) {
			continue
		}
		ending := "forever"
		if w.Limit != syncs.Never {
			ending = "until " + subject.Short(subject.Until(w)) + " ends"
		}
		c.Finding(w.Call, subject.NotStarted, fmt.Sprintf("%s waits %s: nothing starts the informer made on line %d, so HasSynced stays false; start it first",
			subject.Short(c.Text(w.Call)), ending, c.Line(made)), subject.Related(made, "made here"))
		return true
	}
	return false
}

// runsAfter returns the call that lets an informer run, if that comes after a
// wait for it and there is no other in the package: it may run only once.
func (c *checker) runsAfter(w *syncs.Wait, informer ssa.Value) ssa.Instruction {
	own := subject.Key(registered(informer))
	if own == nil {
		return nil
	}
	var found ssa.Instruction
	for _, fn := range c.Graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			op, ok := kubeapi.InformerOpOf(call)
			if !ok || op.Verb != kubeapi.RunInformer && op.Verb != kubeapi.StartFactory {
				continue
			}
			if op.Verb == kubeapi.StartFactory || op.Informer == nil || fn != w.Call.Parent() {
				if fn == w.Call.Parent() || sameType(op, informer) {
					return nil // perhaps this one
				}
				continue
			}
			if subject.Key(op.Informer) != own {
				continue
			}
			if !blocks.Follows(w.Call, call) || blocks.Follows(call, w.Call) {
				return nil
			}
			if _, deferred := call.(*ssa.Defer); deferred {
				return nil
			}
			found = call
		}
	}
	return found
}

// sameType reports whether what is run elsewhere may be the informer.
func sameType(op kubeapi.InformerOp, informer ssa.Value) bool {
	return op.Informer != nil && kubeapi.IsInformer(op.Informer.Type()) == kubeapi.IsInformer(informer.Type())
}

// registered returns the informer that a handler's registration belongs to, or
// v itself.
func registered(v ssa.Value) ssa.Value {
	tuple := v
	if extract, ok := v.(*ssa.Extract); ok {
		tuple = extract.Tuple
	}
	if call, ok := tuple.(*ssa.Call); ok {
		if op, ok := kubeapi.InformerOpOf(call); ok && op.Verb == kubeapi.AddHandler {
			return op.Informer
		}
	}
	return v
}

// boundTo returns the x of the method value x.HasSynced.
func boundTo(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeClosure:
			if fn := x.Fn.(*ssa.Function); fn.Synthetic != "" && len(x.Bindings) == 1 && isHasSynced(fn) {
				return x.Bindings[0]
			}
			return nil
		case *ssa.Call:
			// informer.HasSyncedChecker()
			if recv, args := kubeapi.Args(x.Common()); recv != nil && len(args) == 0 {
				if callee := kubeapi.Callee(x.Common()); callee != nil && callee.Name() == "HasSyncedChecker" {
					return recv
				}
			}
			return nil
		default:
			return nil
		}
	}
}

func isHasSynced(fn *ssa.Function) bool {
	obj := fn.Object()
	return obj != nil && obj.Name() == "HasSynced"
}

// madeHere follows an informer or factory back to the call of the function that
// makes it, or its factory, or nil.
func madeHere(v ssa.Value, fn *ssa.Function) *ssa.Call {
	for range 10 {
		v = calls.Behind(v)
		if part, ok := v.(*ssa.Extract); ok {
			v = part.Tuple
		}
		call, ok := v.(*ssa.Call)
		if !ok {
			return nil
		}
		if op, ok := kubeapi.InformerOpOf(call); ok && !op.Cache {
			switch op.Verb {
			case kubeapi.NewFactory, kubeapi.NewInformer:
				if call.Parent() == fn {
					return call
				}
				return nil
			case kubeapi.RequestInformer:
				if op.Factory != nil {
					v = op.Factory
					continue
				}
			}
		}
		recv, args := kubeapi.Args(call.Common())
		if recv == nil || len(args) > 0 {
			return nil
		}
		v = recv
	}
	return nil
}

// idle reports whether nothing starts an informer or factory, and nobody else
// has it.
func idle(made *ssa.Call) bool {
	i := &idleness{seen: make(map[ssa.Value]bool)}
	i.value(made)
	return !i.out
}

type idleness struct {
	seen map[ssa.Value]bool
	out  bool // started, or out of sight
}

func (i *idleness) value(v ssa.Value) {
	if i.out || i.seen[v] || v.Referrers() == nil {
		return
	}
	i.seen[v] = true
	for _, ref := range *v.Referrers() {
		// A switch of its own: it goes forward, which ir/values does not.
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeInterface:
			i.value(ref)
		case *ssa.MakeInterface:
			i.value(ref)
		case *ssa.Extract:
			i.value(ref)
		case *ssa.TypeAssert: // also what makes x.HasSynced panic for a nil x
			i.value(ref)
		case *ssa.Store:
			local, ok := ref.Addr.(*ssa.Alloc)
			if ref.Val != v || !ok {
				i.out = i.out || ref.Val == v
				continue
			}
			i.local(local)
		case *ssa.MakeClosure:
			if fn := ref.Fn.(*ssa.Function); fn.Synthetic == "" || !isHasSynced(fn) {
				i.out = true
			}
		case ssa.CallInstruction:
			i.call(ref, v)
		default:
			i.out = true
		}
	}
}

// local follows a variable that is loaded only.
func (i *idleness) local(local *ssa.Alloc) {
	for _, use := range *local.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp:
			i.value(use)
		case *ssa.Store, *ssa.DebugRef:
		default:
			i.out = true
		}
	}
}

func (i *idleness) call(call ssa.CallInstruction, v ssa.Value) {
	recv, args := kubeapi.Args(call.Common())
	for _, arg := range args {
		if arg == v {
			i.out = true
			return
		}
	}
	if recv != v {
		i.out = true
		return
	}
	op, ok := kubeapi.InformerOpOf(call)
	switch {
	case ok && (op.Verb == kubeapi.StartFactory || op.Verb == kubeapi.RunInformer):
		i.out = true
	case ok && op.Verb == kubeapi.RequestInformer && op.Lister:
	case ok && op.Verb != kubeapi.RequestInformer:
	default:
		c, ok := call.(*ssa.Call)
		if !ok {
			i.out = true
			return
		}
		callee := kubeapi.Callee(call.Common())
		if callee != nil && (callee.Name() == "GetStore" || callee.Name() == "GetIndexer" || callee.Name() == "Lister") {
			return
		}
		i.value(c)
	}
}

// Package unstarted finds waits for informers that nothing has started.
package unstarted

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// checker is what this package asks about.
type checker struct{ *subject.Checker }

// Report finds waits for informers that are made in the same function and
// that nothing starts.
func Report(in *subject.Checker, w *syncs.Wait) bool {
	c := &checker{in}
	if !w.Answers() {
		return false
	}
	if w.Op.Factory != nil {
		if made := madeHere(w.Op.Factory, w.Call.Parent()); made != nil && idle(made) && isAsked(made, w.Call) {
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

// isAsked reports whether anything but the wait is done with a factory: one that nobody asks for an
// informer has nothing to start.
func isAsked(factory ssa.Value, wait ssa.Instruction) bool {
	return blocks.AnyUse(factory, func(use ssa.Instruction) bool { return use != wait })
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
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
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
			if _, deferred := call.(*ssa.Defer); deferred || !blocks.Follows(w.Call, call) || blocks.Follows(call, w.Call) {
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
	if call, _ := calls.CallOf(v); call != nil {
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
		call, _ := calls.CallOf(calls.Behind(v))
		if call == nil {
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
	of := values.Relation{Steps: values.Same | values.Held, Onward: leadsOn}
	for v, use := range of.Uses(made) {
		switch use := use.(type) {
		case *ssa.MakeClosure:
			if !isHasSynced(use.Fn.(*ssa.Function)) {
				return false
			}
		case ssa.CallInstruction:
			if !isIdleCall(use, v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// leadsOn returns what is got from an informer or factory and may start it.
func leadsOn(v ssa.Value, use ssa.Instruction) []ssa.Value {
	switch use := use.(type) {
	case *ssa.Extract:
		return []ssa.Value{use}
	case *ssa.Call:
		recv, args := kubeapi.Args(use.Common())
		if recv != v || slices.Contains(args, v) || isIdleCall(use, v) {
			return nil
		}
		if op, ok := kubeapi.InformerOpOf(use); !ok || op.Verb == kubeapi.RequestInformer {
			return []ssa.Value{use}
		}
	}
	return nil
}

// isIdleCall reports whether a call of an informer's or factory's method starts nothing
// and leads to nothing that could.
func isIdleCall(call ssa.CallInstruction, v ssa.Value) bool {
	recv, args := kubeapi.Args(call.Common())
	if recv != v || slices.Contains(args, v) {
		return false
	}
	switch op, ok := kubeapi.InformerOpOf(call); {
	case ok && (op.Verb == kubeapi.StartFactory || op.Verb == kubeapi.RunInformer):
		return false
	case ok && (op.Verb != kubeapi.RequestInformer || op.Lister):
		return true
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && (callee.Name() == "GetStore" || callee.Name() == "GetIndexer" || callee.Name() == "Lister")
}

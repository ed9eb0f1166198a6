package handlers

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// wakesOthers reports whether all that a loss keeps from happening is that the keys of other
// objects are put on a queue: of those that refer to the deleted one, or own it. They come again with their own events
// and resyncs, and nothing of the deleted object stays behind.
func (m *machine) wakesOthers(l *Loss) bool {
	if l.Filtered != nil || l.Sent != nil || l.Handler.Fn == nil || l.Kind == RawKey && asksForKey(l.FuncName) || m.onlyKey(l) {
		return false
	}
	w := wakes{machine: m, seen: make(map[*ssa.Function]bool)}
	return w.only(l.Handler.Fn) && w.others
}

// wakes looks through what a handler does.
type wakes struct {
	*machine
	seen   map[*ssa.Function]bool
	others bool // some key is not that of the object itself
}

// only reports whether a function does nothing that is missed but to put keys on queues.
func (w *wakes) only(fn *ssa.Function) bool {
	if w.seen[fn] {
		return true
	}
	w.seen[fn] = true
	if len(w.seen) > maxLooked {
		return false
	}
	return !blocks.Any(fn, func(instr ssa.Instruction) bool {
		if call, ok := instr.(ssa.CallInstruction); ok {
			return w.isWork(call) && !w.call(call)
		}
		return w.isWork(instr) && w.isDeed(instr, make(map[*ssa.Function]bool))
	})
}

func (w *wakes) call(call ssa.CallInstruction) bool {
	switch {
	case adds(call):
		w.others = w.others || !namesOwn(call)
		return true
	case handsOverQueue(call):
		return true
	case kubeapi.KnativeEnqueueOf(kubeapi.Callee(call.Common())) != kubeapi.NoEnqueue:
		// For the object itself, too: knative's reconcilers do nothing for one that is gone.
		w.others = true
		return true
	}
	if targets := w.graph.Callees(call); len(targets.Funcs) > 0 {
		return !slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool { return !w.only(fn) })
	}
	// A function of another package may queue by a function that it is handed.
	handed := false
	for _, arg := range call.Common().Args {
		if !kubeapi.IsFuncType(arg.Type()) {
			continue
		}
		for _, fn := range w.graph.FuncsOf(arg).Funcs {
			if !w.only(fn) {
				return false
			}
			handed = true
		}
	}
	if handed {
		w.others = true
		return true
	}
	return !w.isDeedCall(call, make(map[*ssa.Function]bool))
}

// namesOwn reports whether the function that queues a key reads the name of an object, and
// not in a loop over several: the key may be that of the object itself.
func namesOwn(add ssa.CallInstruction) bool {
	return !blocks.Repeats(add.Block()) && blocks.Any(add.Parent(), func(instr ssa.Instruction) bool {
		switch instr := instr.(type) {
		case *ssa.FieldAddr:
			return calls.FieldName(instr) == "Name" && isOfMetadata(instr)
		case ssa.CallInstruction:
			callee := kubeapi.Callee(instr.Common())
			return callee != nil && (callee.Name() == "GetName" || answersKey(instr) || kubeapi.IsObjectKeyFromObject(callee))
		}
		return false
	})
}

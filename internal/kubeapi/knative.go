package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

const knativeController = "knative.dev/pkg/controller"

// IsKnativeImpl reports whether t is, or points to, knative's controller.Impl: a queue
// with its workers.
func IsKnativeImpl(t types.Type) bool { return IsNamed(t, knativeController, "Impl") }

// MakesKnativeImpl recognises what makes a controller of knative's: the NewImpl that is
// generated for a kind, and controller.NewContext. It returns the reconciler; kind is that of
// the requests, or nil if the reconciler gets keys.
func MakesKnativeImpl(common *ssa.CallCommon) (reconciler ssa.Value, kind *types.Named, ok bool) {
	fn := Callee(common)
	if fn == nil {
		return nil, nil, false
	}
	results := fn.Signature().Results()
	if results.Len() != 1 || !IsKnativeImpl(results.At(0).Type()) {
		return nil, nil, false
	}
	params, args := fn.Signature().Params(), Operands(common)
	args = args[len(args)-params.Len():]
	for i := range params.Len() {
		t := params.At(i).Type()
		if !types.IsInterface(t) {
			continue
		}
		if sig := method(t, "ReconcileKind"); sig != nil && isKindReconcile(sig) {
			return args[i], KindOf(sig.Params().At(1).Type()), true
		}
		if IsNamed(t, knativeController, "Reconciler") {
			return args[i], nil, true
		}
	}
	return nil, nil, false
}

// KnativeEnqueue tells what a method of controller.Impl puts into the queue.
type KnativeEnqueue int

// The answers.
const (
	NoEnqueue     KnativeEnqueue = iota
	EnqueueSelf                  // the object that it is given
	EnqueueOwner                 // the object's controller
	EnqueueOther                 // what its labels, its namespace or the arguments name
	EnqueueAll                   // all objects of an informer
	EnqueueTracks                // those that track the object that it is given
)

var knativeEnqueues = map[string]KnativeEnqueue{
	"Enqueue": EnqueueSelf, "EnqueueAfter": EnqueueSelf, "EnqueueSlow": EnqueueSelf, "EnqueueControllerOf": EnqueueOwner,
	"EnqueueSentinel": EnqueueOther, "EnqueueLabelOfNamespaceScopedResource": EnqueueOther, "EnqueueLabelOfClusterScopedResource": EnqueueOther,
	"EnqueueNamespaceOf": EnqueueOther, "EnqueueKey": EnqueueOther, "EnqueueSlowKey": EnqueueOther, "EnqueueKeyAfter": EnqueueOther,
	"GlobalResync": EnqueueAll, "FilteredGlobalResync": EnqueueAll,
}

// KnativeEnqueueOf tells what a function puts into the queue of a controller.Impl, itself or
// by the function that it returns, or the OnChanged of its tracker.
func KnativeEnqueueOf(fn *types.Func) KnativeEnqueue {
	if fn == nil || fn.Signature().Recv() == nil {
		return NoEnqueue
	}
	recv := fn.Signature().Recv().Type()
	switch {
	case IsKnativeImpl(recv):
		return knativeEnqueues[fn.Name()]
	case fn.Name() == "OnChanged" && fn.Pkg() != nil && IsNamed(recv, "knative.dev/pkg/tracker", "Interface"):
		return EnqueueTracks
	}
	return NoEnqueue
}

// IsKnativeWrapper recognises the functions that make a handler of a function, or another
// function that calls it.
func IsKnativeWrapper(fn *types.Func) bool {
	return IsFunc(fn, knativeController, "HandleAll", "PassNew", "EnsureTypeMeta")
}

// RunsKnative recognises knative's sharedmain, which runs controllers and, unless it is told
// otherwise, elects a leader for each.
func RunsKnative(common *ssa.CallCommon) bool {
	return IsFunc(Callee(common), "knative.dev/pkg/injection/sharedmain", "Main", "MainNamed", "MainWithContext", "MainWithConfig")
}

package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const waitPath = "k8s.io/apimachinery/pkg/util/wait"

// Wait is a call that waits, or goes on, until its context or stop channel
// ends: pollers, wait.Until and its like, informers, factories, managers and
// whatever else is run by a method Run or Start.
type Wait struct {
	// Callee is what is called.
	Callee *types.Func
	// Until is the argument that ends it: a context or a stop channel.
	Until ssa.Value
	// Poller tells that it asks again and again until the answer is yes.
	Poller bool
	// Synced tells that it waits for caches to be filled.
	Synced bool
	// Limited tells that it gives up by itself, after a time or a number of tries.
	Limited bool
}

// BacksOff reports whether a function is wait.ExponentialBackoff or one of its
// variants.
func BacksOff(fn *types.Func) bool {
	return isOfWait(fn) && strings.HasPrefix(fn.Name(), "ExponentialBackoff")
}

// isOfWait reports whether fn is a function of package wait, and no method.
func isOfWait(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == waitPath && fn.Signature().Recv() == nil
}

// IsPoller reports whether a function of package wait asks again and again until the answer
// is yes.
func IsPoller(fn *types.Func) bool {
	return BacksOff(fn) || isOfWait(fn) && (strings.HasPrefix(fn.Name(), "Poll") || strings.HasPrefix(fn.Name(), "WaitFor"))
}

// withContext has, for functions of package wait, the one that takes a context and does the
// same, and the one that older releases have in its place.
var withContext = map[string][2]string{
	"Poll": {"PollUntilContextTimeout", "PollWithContext"}, "PollImmediate": {"PollUntilContextTimeout", "PollImmediateWithContext"},
	"PollInfinite": {"PollUntilContextCancel", "PollInfiniteWithContext"}, "PollImmediateInfinite": {"PollUntilContextCancel", "PollImmediateInfiniteWithContext"},
	"ExponentialBackoff": {"ExponentialBackoffWithContext", "ExponentialBackoffWithContext"},
}

// WaitWithContext names the function of package wait that takes a context and does
// the same as callee, as far as the package has it: older ones have others.
func WaitWithContext(callee *types.Func) string {
	names, ok := withContext[callee.Name()]
	switch {
	case !ok:
		return "UntilWithContext"
	case callee.Pkg().Scope().Lookup(names[0]) != nil:
		return names[0]
	}
	return names[1]
}

// waiters are functions that wait until they are told to stop, besides those
// that are told by their shape.
var waiters = newNameTable(
	"k8s.io/client-go/tools/cache.WaitForCacheSync", "k8s.io/client-go/tools/cache.WaitForNamedCacheSync*", "k8s.io/client-go/tools/cache.WaitFor",
	"k8s.io/client-go/tools/leaderelection.RunOrDie", "k8s.io/client-go/tools/watch.Until*", "k8s.io/client-go/tools/watch.ListWatchUntil",
	"knative.dev/pkg/controller.StartInformers", "knative.dev/pkg/controller.RunInformers", "knative.dev/pkg/controller.StartAll",
)

// WaitCall recognises a call that waits or goes on until the context or stop
// channel among its arguments ends.
//
// Methods are told by their shape: Run, Start, WaitForCacheSync and their like,
// with a stop channel or a context among their parameters. Those of client-go and
// controller-runtime count, and those of others that take nothing but a context,
// or a stop channel.
func WaitCall(common *ssa.CallCommon) (Wait, bool) {
	callee := Callee(common)
	if callee == nil || callee.Pkg() == nil {
		return Wait{}, false
	}
	_, args := Args(common)
	until := untilArg(args)
	if until == nil {
		return Wait{}, false
	}
	w := Wait{Callee: callee, Until: until}
	switch {
	case isOfWait(callee):
		name := callee.Name()
		w.Poller = IsPoller(callee)
		w.Limited = BacksOff(callee) || strings.Contains(name, "Timeout")
		return w, w.Poller || strings.Contains(name, "Until")
	case strings.HasPrefix(callee.Name(), "WaitForCacheSync") || strings.HasPrefix(callee.Name(), "WaitForNamedCacheSync"):
		w.Synced = true
		return w, true
	case waiters.match(callee):
		return w, true
	}
	if callee.Signature().Recv() == nil || !runNames[callee.Name()] || len(args) > 2 {
		return Wait{}, false
	}
	return w, IsStopChannel(until.Type()) || len(args) == 1 || runsComponents(callee)
}

// untilArg returns the first context or stop channel among the arguments.
func untilArg(args []ssa.Value) ssa.Value { return argument(args, isUntil) }

func isUntil(t types.Type) bool { return IsContext(t) || IsStopChannel(t) }

var runNames = map[string]bool{
	"Run": true, "RunWithContext": true, "Start": true, "StartWithContext": true, "RunInformers": true,
}

// runsComponents reports whether a method Run or Start that takes a context
// runs something that never ends by itself: an informer, a manager, a cache.
func runsComponents(callee *types.Func) bool {
	return startsWith(callee.Pkg().Path(), []string{"k8s.io/client-go/", "sigs.k8s.io/controller-runtime/", "knative.dev/pkg/"})
}

// EndlessWait recognises the functions of package wait that take neither a
// context nor a stop channel: Poll, PollImmediate, ExponentialBackoff, and
// those that never give up, PollInfinite, PollImmediateInfinite and Forever.
func EndlessWait(common *ssa.CallCommon) (callee *types.Func, forever, ok bool) {
	callee = Callee(common)
	if !isOfWait(callee) {
		return nil, false, false
	}
	switch callee.Name() {
	case "Poll", "PollImmediate", "ExponentialBackoff":
		return callee, false, true
	case "PollInfinite", "PollImmediateInfinite", "Forever":
		return callee, true, true
	}
	return nil, false, false
}

// elections are what runs for the lead, and returns when it is lost.
var elections = newNameTable("k8s.io/client-go/tools/leaderelection.RunOrDie", "(*k8s.io/client-go/tools/leaderelection.LeaderElector).Run")

// RunsElection reports whether fn tries to get the lead, and returns when it is
// lost.
func RunsElection(fn *types.Func) bool { return fn != nil && elections.match(fn) }

package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// GroupStart recognises a call that runs a function in a goroutine of a group
// that can be waited for: sync.WaitGroup.Go, errgroup.Group.Go, wait.Group's
// Start…, and the pools of other libraries. They are told by their shape: the
// last parameter is a function, and the receiver has a Wait method. It
// returns the group and the function.
func GroupStart(common *ssa.CallCommon) (group, fn ssa.Value, ok bool) {
	callee := Callee(common)
	if callee == nil || !startsInGroup(callee) {
		return nil, nil, false
	}
	recv, args := Args(common)
	if recv == nil || len(args) == 0 {
		return nil, nil, false
	}
	return recv, args[len(args)-1], true
}

// RunsOnce reports whether fn has the functions that it is given run once: sync.Once.Do,
// and those that start a goroutine of a group (see [GroupStart]).
func RunsOnce(fn *types.Func) bool {
	return startsInGroup(fn) || fn.Name() == "Do" && FullName(fn) == "(*sync.Once).Do"
}

func startsInGroup(fn *types.Func) bool {
	params := fn.Signature().Params()
	if !isMethod(fn, groupStarters...) || params.Len() == 0 || !IsFuncType(params.At(params.Len()-1).Type()) {
		return false
	}
	wait := method(fn.Signature().Recv().Type(), "Wait")
	return wait != nil && wait.Params().Len() == 0
}

var groupStarters = []string{"Go", "TryGo", "Start", "StartWithChannel", "StartWithContext", "Submit"}

// IsGroupWait reports whether fn waits for the goroutines of a group.
func IsGroupWait(fn *types.Func) bool {
	if !isMethod(fn, "Wait") || fn.Signature().Params().Len() != 0 {
		return false
	}
	recv := fn.Signature().Recv().Type()
	return IsNamed(recv, "sync", "WaitGroup") || HasAnyMethod(recv, groupStarters...)
}

// IsWaitGroupDone reports whether fn is sync.WaitGroup's Done.
func IsWaitGroupDone(fn *types.Func) bool {
	return fn != nil && FullName(fn) == "(*sync.WaitGroup).Done"
}

// IsAfterFunc reports whether fn is time.AfterFunc, or the AfterFunc of a
// clock: a function of a duration and a function.
func IsAfterFunc(fn *types.Func) bool {
	return fn != nil && fn.Name() == "AfterFunc" && fit(fn.Signature().Params(), IsDuration, IsFuncType)
}

// IsSetLimit reports whether fn bounds the number of goroutines of a group.
func IsSetLimit(fn *types.Func) bool {
	return isMethod(fn, "SetLimit") && HasMethod(fn.Signature().Recv().Type(), "Wait")
}

// testAndSet are calls that look at a state and claim it in one step.
var testAndSet = newNameTable(
	"(*sync.Map).LoadOrStore", "(*sync.Map).Swap", "(*sync.Map).CompareAndSwap", "(*sync.Map).LoadAndDelete",
	"(*sync.Mutex).TryLock", "(*sync.RWMutex).TryLock", "(*sync/atomic.*",
	"sync/atomic.CompareAndSwap*", "sync/atomic.Swap*", "sync/atomic.Add*",
	"(*golang.org/x/sync/semaphore.Weighted).TryAcquire",
	"(*golang.org/x/time/rate.Limiter).Allow*",
	"(*k8s.io/client-go/util/flowcontrol.Backoff).*", "(k8s.io/client-go/util/flowcontrol.RateLimiter).TryAccept",
)

// IsTestAndSet reports whether fn looks at a state and claims it in one step,
// so that only one of several callers goes on.
func IsTestAndSet(fn *types.Func) bool {
	if fn == nil || !testAndSet.match(fn) {
		return false
	}
	if strings.HasPrefix(FullName(fn), "(*sync/atomic.") {
		return fn.Name() == "CompareAndSwap" || fn.Name() == "Swap" || fn.Name() == "Add"
	}
	return true
}

// IsStop reports whether calling fn ends something that was started: it is a method with
// one of the names that say so.
func IsStop(fn *types.Func) bool {
	return isMethod(fn, "Stop", "Close", "Cancel", "Shutdown", "ShutDown", "ShutDownWithDrain", "Quit", "Kill", "Terminate", "StopAndWait", "GracefulStop")
}

// IsCancel reports whether t is the type of a function that cancels a context.
func IsCancel(t types.Type) bool {
	return IsNamed(t, "context", "CancelFunc", "CancelCauseFunc")
}

// DerivedContext recognises a call that makes a context out of another one,
// and returns the parent. cancels is set if the call's last result cancels the
// new context.
func DerivedContext(common *ssa.CallCommon) (parent ssa.Value, cancels, ok bool) {
	callee := Callee(common)
	if callee == nil || !AnyIs(callee.Signature().Results(), IsContext) {
		return nil, false, false
	}
	results := callee.Signature().Results()
	cancels = IsCancel(results.At(results.Len() - 1).Type())
	recv, args := Args(common)
	if parent = argument(args, IsContext); parent != nil {
		return parent, cancels, true
	}
	if recv != nil && IsContext(recv.Type()) {
		return recv, cancels, true
	}
	return nil, cancels, cancels
}

// endless are functions that return only when they are told to stop.
var endless = newNameTable(
	"k8s.io/apimachinery/pkg/util/wait.Until*", "k8s.io/apimachinery/pkg/util/wait.JitterUntil*",
	"k8s.io/apimachinery/pkg/util/wait.NonSlidingUntil*", "k8s.io/apimachinery/pkg/util/wait.BackoffUntil*",
	"k8s.io/apimachinery/pkg/util/wait.Forever",
	"(k8s.io/client-go/tools/cache.Controller).Run*", "(k8s.io/client-go/tools/cache.SharedInformer).Run*",
	"(k8s.io/client-go/tools/cache.SharedIndexInformer).Run*", "(*k8s.io/client-go/tools/cache.Reflector).Run*",
	"net/http.ListenAndServe*", "(*net/http.Server).ListenAndServe*", "(*net/http.Server).Serve",
	"(sigs.k8s.io/controller-runtime/pkg/manager.Manager).Start", "(sigs.k8s.io/controller-runtime/pkg/cache.Informers).Start",
	"k8s.io/client-go/tools/leaderelection.RunOrDie",
)

// IsEndless reports whether fn returns only when it is told to stop, by a
// context or channel that it gets.
func IsEndless(fn *types.Func) bool { return endless.match(fn) }

// polls are functions that ask again and again until the answer is yes.
var polls = newNameTable(
	"k8s.io/apimachinery/pkg/util/wait.Poll*", "k8s.io/apimachinery/pkg/util/wait.ExponentialBackoff*", "k8s.io/client-go/util/retry.OnError",
)

// IsPoll reports whether fn asks a function that it gets again and again until
// the answer is yes: one of Kubernetes' own, or one that takes times and a
// wait.ConditionFunc, or the like, as wrappers of these do.
func IsPoll(fn *types.Func) bool {
	if fn == nil || polls.match(fn) {
		return fn != nil
	}
	timed, asks := false, false
	for param := range fn.Signature().Params().Variables() {
		timed = timed || IsDuration(param.Type())
		condition, ok := types.Unalias(param.Type()).Underlying().(*types.Signature)
		asks = asks || ok && isCondition(condition)
	}
	return timed && asks
}

// isCondition reports whether a function is a wait.ConditionFunc, or one with a
// context.
func isCondition(sig *types.Signature) bool {
	return fit(sig.Results(), IsBool, IsError) && (sig.Params().Len() == 0 || fit(sig.Params(), IsContext))
}

// harmless lists functions that return at once, so that a goroutine that
// does nothing else does not pile up.
var harmless = newNameTable(
	"k8s.io/klog*", "(k8s.io/klog*", "(github.com/go-logr/logr.*", "github.com/go-logr/logr.*", "log.*", "(*log.*", "fmt.*", "log/slog.*", "(*log/slog.*",
	"(*go.uber.org/zap.*", "go.uber.org/zap.*", "(*github.com/sirupsen/logrus.*", "github.com/sirupsen/logrus.*", "(github.com/sirupsen/logrus.*",
	"(k8s.io/client-go/tools/record.EventRecorder).*", "(k8s.io/client-go/tools/events.EventRecorder).*",
	"(*github.com/prometheus/client_golang/prometheus.*", "(github.com/prometheus/client_golang/prometheus.*",
	"(*sync.*", "(*sync/atomic.*", "sync/atomic.*", "strings.*", "strconv.*", "time.Now", "time.Since", "(time.*", "errors.*", "context.*", "(context.Context).*",
	"k8s.io/apimachinery/pkg/util/runtime.*", "sigs.k8s.io/controller-runtime/pkg/log.*",
	"k8s.io/client-go/tools/cache.MetaNamespaceKeyFunc", "k8s.io/client-go/tools/cache.DeletionHandlingMetaNamespaceKeyFunc",
	"(error).Error", "runtime/debug.*", "slices.*", "maps.*",
	"k8s.io/apimachinery/pkg/util/sets.*", "(k8s.io/apimachinery/pkg/util/sets.*", "k8s.io/apimachinery/pkg/labels.*",
	"(k8s.io/apimachinery/pkg/types.*", "k8s.io/apimachinery/pkg/api/meta.*", "k8s.io/apimachinery/pkg/apis/meta/v1.*",
)

// IsHarmless reports whether fn returns at once: logging, events, metrics,
// locks, and adding to a workqueue.
func IsHarmless(fn *types.Func) bool {
	if fn == nil || FullName(fn) == "(*sync.Cond).Wait" || FullName(fn) == "(*sync.WaitGroup).Wait" {
		return false
	}
	return harmless.match(fn) || IsQueueAdd(fn) || changesMap(fn) || isAccessor(fn)
}

// isAccessor reports whether fn is a method of an API object: getters, setters
// and deep copies, which work in memory.
func isAccessor(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && (IsObject(recv.Type()) || accessorInterface(recv.Type())) && !embedsObject(recv.Type()) && !TakesContext(fn.Signature())
}

// embedsObject reports whether t is a struct that is an object only because it
// embeds one: its own methods may do anything.
func embedsObject(t types.Type) bool {
	if KindOf(t) != nil || types.IsInterface(t) {
		return false
	}
	_, index, _ := types.LookupFieldOrMethod(t, true, nil, "DeepCopyObject")
	return len(index) > 1
}

// accessorInterface reports whether t is metav1.Object or a part of it.
func accessorInterface(t types.Type) bool {
	return IsNamed(t, metav1Path, "Object", "ObjectMeta", "Type")
}

// changesMap reports whether fn is a method by which a set, map or cache in
// memory is read or changed: it cannot fail and takes no context.
func changesMap(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() == nil || !mapMethods[fn.Name()] || types.IsInterface(sig.Recv().Type()) {
		return false
	}
	return !TakesContext(sig) && !AnyIs(sig.Params(), IsObject) && !AnyIs(sig.Results(), IsError)
}

var mapMethods = map[string]bool{
	"Store": true, "Load": true, "LoadOrStore": true, "LoadAndDelete": true, "Delete": true, "Insert": true, "Has": true,
	"Set": true, "Get": true, "Add": true, "Remove": true, "Inc": true, "Dec": true, "Observe": true,
}

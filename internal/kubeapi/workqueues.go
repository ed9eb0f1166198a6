package kubeapi

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// QueueVerb is what a call does to a workqueue.
type QueueVerb uint8

const (
	// NoQueueVerb is no method of a workqueue, or one that changes nothing.
	NoQueueVerb QueueVerb = iota
	// QueueGet takes an item off.
	QueueGet
	// QueueDone gives an item back.
	QueueDone
	// QueueAdd adds an item at once.
	QueueAdd
	// QueueAddAfter adds an item after a delay of the caller's.
	QueueAddAfter
	// QueueAddRateLimited adds an item after a delay of the rate limiter's.
	QueueAddRateLimited
	// QueueAddOther adds items in a way that options tell.
	QueueAddOther
	// QueueForget makes the rate limiter forget an item's failures.
	QueueForget
	// QueueNumRequeues asks the rate limiter for an item's failures.
	QueueNumRequeues
	// QueueShutDown lets the workers end.
	QueueShutDown
)

var queueVerbs = map[string]QueueVerb{
	"Get": QueueGet, "GetWithPriority": QueueGet, "Done": QueueDone, "Add": QueueAdd, "AddAfter": QueueAddAfter,
	"AddRateLimited": QueueAddRateLimited, "AddWithOpts": QueueAddOther, "Forget": QueueForget, "NumRequeues": QueueNumRequeues,
	"ShutDown": QueueShutDown, "ShutDownWithDrain": QueueShutDown,
}

// QueueVerbOf tells what a method of a workqueue does.
func QueueVerbOf(fn *types.Func) QueueVerb {
	if fn == nil || fn.Signature().Recv() == nil {
		return NoQueueVerb
	}
	verb := queueVerbs[fn.Name()]
	if verb == NoQueueVerb || !IsQueue(fn.Signature().Recv().Type()) {
		return NoQueueVerb
	}
	return verb
}

// TellsShutdown reports whether the last result of a queue's Get is true when the
// queue is shut down, as in client-go. In queues of other make, told by the
// lack of client-go's other methods, it may be the contrary.
func TellsShutdown(queue types.Type) bool {
	return method(queue, "ShutDown") != nil && method(queue, "ShuttingDown") != nil
}

// RateLimits reports whether a queue of type t has a rate limiter.
func RateLimits(t types.Type) bool { return method(t, "AddRateLimited") != nil }

// Limiter tells how a rate limiter treats an item that comes again and again.
type Limiter uint8

const (
	// UnknownLimiter may be any.
	UnknownLimiter Limiter = iota
	// PerItem limiters count the failures of each item and wait longer after
	// each, until they are told to forget.
	PerItem
	// Overall limiters count nothing per item.
	Overall
	// OwnLimiter is a type of the program's own.
	OwnLimiter
)

const workqueuePath = "k8s.io/client-go/util/workqueue"

// IsLimiter reports whether t is a rate limiter of workqueues.
func IsLimiter(t types.Type) bool {
	when, forget, count := method(t, "When"), method(t, "Forget"), method(t, "NumRequeues")
	return when != nil && forget != nil && count != nil && when.Results().Len() == 1 && IsNamed(when.Results().At(0).Type(), "time", "Duration")
}

// LimiterMade tells what kind of rate limiter a function of client-go makes.
// inner is true if that depends on those that it is handed.
func LimiterMade(fn *types.Func) (limiter Limiter, inner, ok bool) {
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != workqueuePath {
		return UnknownLimiter, false, false
	}
	switch fn.Name() {
	case "DefaultControllerRateLimiter", "DefaultTypedControllerRateLimiter", "DefaultItemBasedRateLimiter", "DefaultTypedItemBasedRateLimiter",
		"NewItemExponentialFailureRateLimiter", "NewTypedItemExponentialFailureRateLimiter",
		"NewItemFastSlowRateLimiter", "NewTypedItemFastSlowRateLimiter":
		return PerItem, false, true
	case "NewMaxOfRateLimiter", "NewTypedMaxOfRateLimiter", "NewWithMaxWaitRateLimiter", "NewTypedWithMaxWaitRateLimiter":
		return UnknownLimiter, true, true
	}
	return UnknownLimiter, false, false
}

// LimiterType tells the kind of a rate limiter by its type, where that says it.
func LimiterType(t types.Type) Limiter {
	named := Named(t)
	if named == nil || named.Obj().Pkg() == nil || types.IsInterface(named) {
		return UnknownLimiter
	}
	if named.Obj().Pkg().Path() != workqueuePath {
		return OwnLimiter
	}
	switch name := strings.TrimPrefix(named.Obj().Name(), "Typed"); name {
	case "BucketRateLimiter":
		return Overall
	case "ItemExponentialFailureRateLimiter", "ItemFastSlowRateLimiter":
		return PerItem
	}
	return UnknownLimiter
}

// NewsQueue reports whether fn makes a workqueue that nobody else knows of.
func NewsQueue(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil || !strings.HasPrefix(fn.Name(), "New") {
		return false
	}
	results := fn.Signature().Results()
	if results.Len() != 1 || !IsQueue(results.At(0).Type()) {
		return false
	}
	path := fn.Pkg().Path()
	return path == workqueuePath || strings.HasPrefix(path, "sigs.k8s.io/controller-runtime/") && strings.HasSuffix(path, "/priorityqueue")
}

// QueueItem returns the item that a call of a queue's method is about, or nil.
func QueueItem(common *ssa.CallCommon) ssa.Value {
	if _, args := Args(common); len(args) > 0 {
		return args[0]
	}
	return nil
}

// AsksRateLimited reports whether the options of a call that adds items by
// options surely ask for the rate limiter.
func AsksRateLimited(common *ssa.CallCommon) bool {
	load, ok := QueueItem(common).(*ssa.UnOp)
	if !ok {
		return false
	}
	opts, ok := load.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	asked := storedInField(opts, "RateLimited")
	return len(asked) > 0 && !slices.ContainsFunc(asked, func(v ssa.Value) bool {
		asks, _ := ConstBool(v)
		return !asks
	})
}

// SplitsKey reports whether fn is client-go's SplitMetaNamespaceKey, which takes a key of
// MetaNamespaceKeyFunc apart.
func SplitsKey(fn *types.Func) bool {
	return IsFunc(fn, cachePath, "SplitMetaNamespaceKey")
}

// IsWrappedEnqueue recognises a call that puts an object, or its key, on a queue that a project has wrapped
// together with its workers: a method Enqueue, or named like that, or an Add of keys, of what also has a method Run or Start.
func IsWrappedEnqueue(common *ssa.CallCommon) bool {
	callee := Callee(common)
	recv, _ := Args(common)
	if callee == nil || recv == nil || len(Operands(common)) != 2 {
		return false
	}
	switch callee.Name() {
	case "Enqueue", "EnqueueKey", "AddToQueue":
	case "Add": // of keys: other things have such a method for what they run
		if item := Operands(common)[1].Type(); !IsString(item) && !IsObjectKey(item) {
			return false
		}
	default:
		return false
	}
	return HasMethod(recv.Type(), "Run") || HasMethod(recv.Type(), "Start")
}

// IsObjectKeyFromObject reports whether fn is controller-runtime's ObjectKeyFromObject.
func IsObjectKeyFromObject(fn *types.Func) bool { return IsFunc(fn, clientPath, "ObjectKeyFromObject") }

package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const (
	runtimeHandler    = runtimePath + "handler"
	runtimeController = runtimePath + "controller"
)

// MakesController recognises controller-runtime's controller.New and its kin,
// whose last argument are the options.
func MakesController(common *ssa.CallCommon) bool {
	return len(common.Args) > 1 && IsFunc(Callee(common), runtimeController, "New", "NewUnmanaged", "NewTyped", "NewTypedUnmanaged")
}

// IsSelfHandler reports whether t is EnqueueRequestForObject, typed or not: the
// request names the object of the event.
func IsSelfHandler(t types.Type) bool {
	return IsNamed(t, runtimeHandler, "EnqueueRequestForObject", "TypedEnqueueRequestForObject")
}

// IsHandlerFuncs reports whether t is handler.Funcs, typed or not: what has no function
// does nothing.
func IsHandlerFuncs(t types.Type) bool {
	return IsNamed(t, runtimeHandler, "Funcs", "TypedFuncs")
}

// MapFuncOf recognises the handlers that map an object to requests: the
// functions of current releases and the struct of older ones. fn is nil if it
// is not seen.
func MapFuncOf(v ssa.Value) (fn ssa.Value, ok bool) {
	switch v := v.(type) {
	case *ssa.Call:
		if IsFunc(Callee(v.Common()), runtimeHandler, "EnqueueRequestsFromMapFunc", "TypedEnqueueRequestsFromMapFunc") && len(v.Call.Args) > 0 {
			return v.Call.Args[0], true
		}
	case *ssa.Alloc:
		if IsNamed(v.Type(), runtimeHandler, "EnqueueRequestsFromMapFunc") {
			return storedField(v, "ToRequests"), true
		}
	}
	return nil, false
}

// WrappedHandler returns the handler that a call of the library's puts something
// around, or nil.
func WrappedHandler(common *ssa.CallCommon) ssa.Value {
	if IsFunc(Callee(common), runtimeHandler, "WithLowPriorityWhenUnchanged") && len(common.Args) == 1 {
		return common.Args[0]
	}
	return nil
}

// StockPredicate is a predicate that controller-runtime has.
type StockPredicate uint8

// The predicates, and the functions that combine some.
const (
	NoStockPredicate StockPredicate = iota
	GenerationChanged
	ResourceVersionChanged
	LabelChanged
	AnnotationChanged
	LabelSelector
	PredicateOfFunc
	PredicateAnd
	PredicateOr
	PredicateNot
)

var stockPredicateTypes = map[string]StockPredicate{
	"GenerationChangedPredicate": GenerationChanged, "TypedGenerationChangedPredicate": GenerationChanged,
	"ResourceVersionChangedPredicate": ResourceVersionChanged, "TypedResourceVersionChangedPredicate": ResourceVersionChanged,
	"LabelChangedPredicate": LabelChanged, "TypedLabelChangedPredicate": LabelChanged,
	"AnnotationChangedPredicate": AnnotationChanged, "TypedAnnotationChangedPredicate": AnnotationChanged,
}

// StockPredicateOf recognises the types of predicates that controller-runtime has.
func StockPredicateOf(t types.Type) StockPredicate {
	named := Named(t)
	if named == nil || named.Obj().Pkg() == nil || !IsNamed(t, runtimePredPath, named.Obj().Name()) {
		return NoStockPredicate
	}
	return stockPredicateTypes[named.Obj().Name()]
}

var stockPredicateFuncs = map[string]StockPredicate{
	"LabelSelectorPredicate": LabelSelector, "NewPredicateFuncs": PredicateOfFunc, "NewTypedPredicateFuncs": PredicateOfFunc,
	"And": PredicateAnd, "Or": PredicateOr, "Not": PredicateNot, "NewLabelSelectorPredicate": LabelSelector,
}

// StockPredicateFunc recognises the functions that make predicates.
func StockPredicateFunc(fn *types.Func) StockPredicate {
	if fn == nil || !IsPredicateFunc(fn, fn.Name()) {
		return NoStockPredicate
	}
	return stockPredicateFuncs[fn.Name()]
}

// IsPredicateFuncs reports whether t is predicate.Funcs, typed or not.
func IsPredicateFuncs(t types.Type) bool {
	return IsNamed(t, runtimePredPath, "Funcs", "TypedFuncs")
}

// ReconcileMethod returns the method of t that is run for each request, or nil.
func ReconcileMethod(t types.Type) *types.Func {
	fn := methodNamed(t, "Reconcile")
	if fn == nil || !isReconcile(fn.Signature()) {
		return nil
	}
	return fn
}

// IsPredicatesOption reports whether t is the option of the builder's that has
// predicates.
func IsPredicatesOption(t types.Type) bool {
	return types.IsInterface(t) || IsNamed(t, builderPath, "Predicates")
}

// AsksAgain reports whether the index-th field of t is one by which a result of
// Reconcile asks to be called again.
func AsksAgain(t types.Type, index int) bool {
	s := structOf(t)
	if s == nil || !IsReconcileResult(s) {
		return false
	}
	name := fieldName(t, index)
	return name == "RequeueAfter" || name == "Requeue"
}

// TakesLock reports whether fn takes a lock: a method named so, of sync or of a type
// around it.
func TakesLock(fn *types.Func) bool {
	return isMethod(fn, "Lock", "RLock", "TryLock", "TryAcquire", "Acquire")
}

// IsLogger reports whether t is a logger.
func IsLogger(t types.Type) bool {
	named := Named(t)
	return named != nil && named.Obj().Pkg() != nil && loggers[strings.TrimSuffix(withoutMajor(named.Obj().Pkg().Path()+"."), ".")]
}

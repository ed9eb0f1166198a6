package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// InformerVerb is what a call does with informers.
type InformerVerb uint8

const (
	// NoInformerVerb is the zero value.
	NoInformerVerb InformerVerb = iota
	// NewFactory makes a factory of informers, or a cache or cluster of
	// controller-runtime.
	NewFactory
	// NewInformer makes an informer, a controller of client-go, or a
	// reflector.
	NewInformer
	// RequestInformer gets an informer from a factory, or its lister: the
	// factory's next Start lets it run.
	RequestInformer
	// StartFactory lets the informers run that a factory was asked for so
	// far.
	StartFactory
	// RunInformer lets one informer, controller or reflector run.
	RunInformer
	// AddHandler registers an event handler.
	AddHandler
	// RemoveHandler takes an event handler out.
	RemoveHandler
	// WaitForSync waits until caches are filled.
	WaitForSync
	// HasSynced asks whether a cache is filled.
	HasSynced
	// ShutdownFactory waits for the informers of a factory to end.
	ShutdownFactory
)

// String names the verb for tests.
func (v InformerVerb) String() string {
	return [...]string{
		"nothing", "NewFactory", "NewInformer", "RequestInformer", "StartFactory", "RunInformer",
		"AddHandler", "RemoveHandler", "WaitForSync", "HasSynced", "ShutdownFactory",
	}[v]
}

// InformerOp is a call that makes, runs, asks or changes informers.
type InformerOp struct {
	Verb InformerVerb
	// Func is what is called; for a function that is handed to a group of
	// goroutines, that function.
	Func *types.Func
	// Factory is the factory that a method is called on, or that an informer
	// is requested from; nil where it cannot be seen.
	Factory ssa.Value
	// Informer is the informer, controller or reflector that a method is
	// called on.
	Informer ssa.Value
	// Until is the stop channel or context that ends what is started or
	// waited for.
	Until ssa.Value
	// Handler is the event handler that is added.
	Handler ssa.Value
	// Registration is what RemoveHandler is given.
	Registration ssa.Value
	// Resync is the resync period of a factory, an informer or a handler, a
	// time.Duration, or a pointer to one where the options have that; nil where
	// there is none.
	Resync ssa.Value
	// Options are the options of a constructor or a handler, a struct.
	Options ssa.Value
	// Synced are the functions, or since client-go 0.35 the checkers, that
	// WaitForSync waits for; nil for methods.
	Synced []ssa.Value
	// Lister tells that a lister was requested.
	Lister bool
	// Generic tells that what is made or requested has the informer in it, as
	// what ForResource and NewFilteredDynamicInformer return.
	Generic bool
	// Cache tells that the factory is controller-runtime's cache or cluster,
	// whose informers start when they are requested.
	Cache bool
	// Waits tells that what is run is also waited for, as by knative's
	// StartInformers.
	Waits bool
}

// InformerOpOf recognises the calls that concern informers: client-go's of all
// generations and controller-runtime's caches, and by their types and
// signatures the generated factories of any project, dynamic and metadata
// factories, and wrappers.
func InformerOpOf(call ssa.CallInstruction) (InformerOp, bool) {
	return InformerOpIn(call.Common())
}

// InformerOpIn is [InformerOpOf] for a call that is no instruction, as one behind a
// wrapper.
func InformerOpIn(common *ssa.CallCommon) (InformerOp, bool) {
	fn := Callee(common)
	if fn == nil {
		return InformerOp{}, false
	}
	recv, args := Args(common)
	if op, ok := groupRuns(common, fn, args); ok {
		return op, true
	}
	sig := fn.Signature()
	if len(args) != sig.Params().Len() {
		return InformerOp{}, false
	}
	var op InformerOp
	if sig.Recv() == nil {
		op = informerFunc(fn, args)
	} else if recv != nil {
		op = informerMethod(fn, recv, args)
	}
	op.Func = fn
	return op, op.Verb != NoInformerVerb
}

// informerFunc recognises package-level functions.
func informerFunc(fn *types.Func, args []ssa.Value) InformerOp {
	sig := fn.Signature()
	switch {
	case isSyncWait(fn):
		op := InformerOp{Verb: WaitForSync, Until: untilArg(args)}
		op.Synced, _ = VariadicArgs(args[len(args)-1])
		return op
	case fn.Pkg() != nil && fn.Pkg().Path() == "knative.dev/pkg/controller" && (fn.Name() == "StartInformers" || fn.Name() == "RunInformers"):
		return InformerOp{Verb: RunInformer, Until: untilArg(args), Waits: true}
	case !strings.HasPrefix(fn.Name(), "New"):
		return InformerOp{}
	}
	for result := range sig.Results().Variables() {
		op := InformerOp{}
		t := result.Type()
		switch {
		case IsInformerFactory(t):
			op.Verb = NewFactory
			op.Cache = isRuntimeCache(t)
		case isReflecting(t):
			op.Verb = NewInformer
		case isGenericInformer(t):
			op.Verb, op.Generic = NewInformer, true
		default:
			continue
		}
		op.Resync, op.Options = resyncArg(args)
		return op
	}
	return InformerOp{}
}

// isSyncWait recognises cache.WaitForCacheSync, WaitForNamedCacheSync, WaitFor
// and their like elsewhere: the last parameters are functions or checkers that
// tell whether a cache is filled.
func isSyncWait(fn *types.Func) bool {
	sig := fn.Signature()
	if !sig.Variadic() || !strings.HasPrefix(fn.Name(), "WaitFor") || !returnsBool(sig) {
		return false
	}
	slice, ok := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	if !ok {
		return false
	}
	return IsNamed(slice.Elem(), cachePath, "InformerSynced", "DoneChecker")
}

// informerMethod recognises methods.
func informerMethod(fn *types.Func, recv ssa.Value, args []ssa.Value) InformerOp {
	t := recv.Type()
	switch fn.Name() {
	case "Start", "StartWithContext":
		if until := onlyUntil(args); until != nil && IsInformerFactory(t) {
			return InformerOp{Verb: StartFactory, Factory: recv, Until: until, Cache: isRuntimeCache(t)}
		}
	case "Run", "RunWithContext":
		if until := onlyUntil(args); until != nil && isReflecting(t) {
			return InformerOp{Verb: RunInformer, Informer: recv, Until: until}
		}
	case "WaitForCacheSync", "WaitForCacheSyncWithContext":
		if until := onlyUntil(args); until != nil && IsInformerFactory(t) {
			return InformerOp{Verb: WaitForSync, Factory: recv, Until: until, Cache: isRuntimeCache(t)}
		}
	case "Shutdown":
		if len(args) == 0 && IsInformerFactory(t) {
			return InformerOp{Verb: ShutdownFactory, Factory: recv}
		}
	case "HasSynced":
		if len(args) == 0 && returnsBool(fn.Signature()) && (isReflecting(t) || addsHandlers(t)) {
			return InformerOp{Verb: HasSynced, Informer: recv}
		}
	case "RemoveEventHandler":
		if len(args) == 1 && addsHandlers(t) {
			return InformerOp{Verb: RemoveHandler, Informer: recv, Registration: args[0]}
		}
	case "AddEventHandler", "AddEventHandlerWithResyncPeriod", "AddEventHandlerWithOptions", "AddTypedEventHandler":
		if len(args) > 0 && addsHandlers(t) {
			op := InformerOp{Verb: AddHandler, Informer: recv, Handler: args[0]}
			op.Resync, op.Options = resyncArg(args[1:])
			return op
		}
	default:
		return informerRequest(fn, recv, args)
	}
	return InformerOp{}
}

// informerRequest recognises the methods by which an informer or its lister is
// got from a factory: f.Core().V1().Pods().Informer(), and Lister,
// f.ForResource(…), f.InformerFor(…), and GetInformer of controller-runtime's
// cache.
func informerRequest(fn *types.Func, recv ssa.Value, args []ssa.Value) InformerOp {
	results := fn.Signature().Results()
	if results.Len() == 0 {
		return InformerOp{}
	}
	t := recv.Type()
	switch fn.Name() {
	case "Informer", "Lister":
		if len(args) == 0 && isGenericInformer(t) {
			return InformerOp{Verb: RequestInformer, Factory: factoryOf(recv), Lister: fn.Name() == "Lister"}
		}
	case "ForResource":
		if len(args) == 1 && IsInformerFactory(t) && isGenericInformer(results.At(0).Type()) {
			return InformerOp{Verb: RequestInformer, Factory: recv, Generic: true}
		}
	case "InformerFor":
		if IsInformerFactory(t) && IsInformer(results.At(0).Type()) {
			return InformerOp{Verb: RequestInformer, Factory: recv}
		}
	case "GetInformer", "GetInformerForKind":
		if isRuntimeCache(t) && addsHandlers(results.At(0).Type()) {
			return InformerOp{Verb: RequestInformer, Factory: recv, Cache: true}
		}
	}
	return InformerOp{}
}

// groupRuns recognises the methods of a group of goroutines that hand their
// stop channel or context to a function that they run: an informer's or a
// factory's.
func groupRuns(common *ssa.CallCommon, fn *types.Func, args []ssa.Value) (InformerOp, bool) {
	if fn.Name() != "StartWithChannel" && fn.Name() != "StartWithContext" {
		return InformerOp{}, false
	}
	_, run, ok := GroupStart(common)
	if !ok {
		return InformerOp{}, false
	}
	closure, ok := run.(*ssa.MakeClosure)
	if !ok || len(closure.Bindings) != 1 {
		return InformerOp{}, false
	}
	bound, ok := closure.Fn.(*ssa.Function)
	if !ok || bound.Synthetic == "" {
		return InformerOp{}, false
	}
	method, ok := bound.Object().(*types.Func)
	until := untilArg(args)
	if !ok || until == nil {
		return InformerOp{}, false
	}
	op := informerMethod(method.Origin(), closure.Bindings[0], []ssa.Value{until})
	op.Func = method.Origin()
	return op, op.Verb == RunInformer || op.Verb == StartFactory
}

// factoryOf follows a chain such as f.Core().V1().Pods() back to the factory.
func factoryOf(v ssa.Value) ssa.Value {
	for range 8 {
		v = Unconverted(v)
		if IsInformerFactory(v.Type()) {
			return v
		}
		switch x := v.(type) {
		case *ssa.Call:
			fn := Callee(x.Common())
			recv, args := Args(x.Common())
			if fn == nil || recv == nil || len(args) > 0 && fn.Name() != "ForResource" {
				return nil
			}
			v = recv
		case *ssa.Extract:
			v = x.Tuple
		default:
			return nil
		}
	}
	return nil
}

// IsInformerFactory reports whether t is a factory of informers: it has Start
// and WaitForCacheSync, each with a stop channel or a context, as have
// client-go's, the generated ones of any project, dynamic and metadata
// factories, and controller-runtime's cache. Its clusters count, managers do
// not: they run the whole program.
func IsInformerFactory(t types.Type) bool {
	start := method(t, "Start")
	if start == nil || !takesUntil(start) {
		return false
	}
	if sync := method(t, "WaitForCacheSync"); sync != nil {
		return takesUntil(sync)
	}
	return isCluster(t)
}

func isCluster(t types.Type) bool {
	return HasMethod(t, "GetCache") && HasMethod(t, "GetFieldIndexer") && HasMethod(t, "GetAPIReader") && !HasMethod(t, "Elected")
}

// isRuntimeCache reports whether t is controller-runtime's cache or cluster.
func isRuntimeCache(t types.Type) bool { return HasMethod(t, "GetInformerForKind") || isCluster(t) }

// isReflecting reports whether t is an informer, a controller of client-go, or
// a reflector: it runs until it is stopped, and knows where it is.
func isReflecting(t types.Type) bool {
	run := method(t, "Run")
	if run == nil {
		run = method(t, "RunWithContext")
	}
	return run != nil && takesUntil(run) && HasMethod(t, "LastSyncResourceVersion")
}

// isGenericInformer reports whether t has an informer and its lister in it, as
// what a factory's Pods() and ForResource return.
func isGenericInformer(t types.Type) bool {
	informer, lister := method(t, "Informer"), method(t, "Lister")
	return informer != nil && lister != nil && informer.Params().Len() == 0 && lister.Params().Len() == 0 &&
		informer.Results().Len() == 1 && lister.Results().Len() == 1 && IsInformer(informer.Results().At(0).Type())
}

// addsHandlers reports whether t is an informer that handlers are registered
// with: client-go's, or controller-runtime's, which does not run by itself.
func addsHandlers(t types.Type) bool {
	add := method(t, "AddEventHandler")
	return add != nil && add.Params().Len() == 1 && isInformerHandler(add.Params().At(0).Type())
}

// RemovesHandlers reports whether t is an informer that remembers the handlers
// which were added through it and removes them by one call, as metacontroller's
// does; client-go's removes one, by its registration.
func RemovesHandlers(t types.Type) bool {
	if !addsHandlers(t) {
		return false
	}
	for _, name := range []string{"RemoveEventHandlers", "RemoveAllEventHandlers"} {
		if remove := method(t, name); remove != nil && remove.Params().Len() == 0 {
			return true
		}
	}
	return false
}

// takesUntil reports whether the only parameter is a stop channel or context.
func takesUntil(sig *types.Signature) bool { return fit(sig.Params(), isUntil) }

// onlyUntil returns the stop channel or context that is the only argument.
func onlyUntil(args []ssa.Value) ssa.Value {
	if len(args) != 1 {
		return nil
	}
	return untilArg(args)
}

// resyncArg returns the resync period among the arguments, or the options, a
// struct, that may have one, and the period that is set in them where they are
// made.
func resyncArg(args []ssa.Value) (resync, options ssa.Value) {
	if resync = argument(args, func(t types.Type) bool { return IsNamed(t, "time", "Duration") }); resync != nil {
		return resync, nil
	}
	for _, arg := range args {
		for _, name := range []string{"ResyncPeriod", "SyncPeriod"} {
			if HasField(arg.Type(), name) {
				return optionField(arg, name), arg
			}
		}
	}
	return nil, nil
}

// optionField returns what is stored into a field of options that are made in
// place, if it is a duration.
func optionField(options ssa.Value, name string) ssa.Value {
	load, ok := options.(*ssa.UnOp)
	if !ok {
		return nil
	}
	made, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, v := range storedInField(made, name) {
		if IsNamed(v.Type(), "time", "Duration") {
			return v
		}
	}
	return nil
}

// MakesKey reports whether fn makes the key of an object that is handed to it.
func MakesKey(fn *types.Func) bool {
	return IsFunc(fn, cachePath, "MetaNamespaceKeyFunc", "DeletionHandlingMetaNamespaceKeyFunc", "ObjectToName", "DeletionHandlingObjectToName")
}

// AsksOwner reports whether fn asks for the owners of an object.
func AsksOwner(fn *types.Func) bool {
	return IsFunc(fn, metav1Path, "GetControllerOf", "GetControllerOfNoCopy") || isMetaGetter(fn, "GetOwnerReferences")
}

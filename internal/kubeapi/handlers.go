package kubeapi

import (
	"go/types"
	"strings"
)

// Role tells what the ecosystem calls a function for.
type Role struct {
	Kind EntryKind
	// What is the name under which users know the place, such as "AddFunc"
	// or "Reconcile".
	What string
	// Objects has the indices of the parameters (the receiver not counted)
	// that are, or carry, the object that the call is about.
	Objects []int
}

// EntryKind is a kind of place where the ecosystem calls user code.
type EntryKind uint8

const (
	// NoEntry is the zero value: nothing calls it from outside.
	NoEntry EntryKind = iota
	// EventHandler is called for each event of an informer or source.
	EventHandler
	// Predicate decides for each event whether it counts: predicates, and
	// the filters of informer handlers.
	Predicate
	// MapFunc turns the object of an event into requests.
	MapFunc
	// Reconcile is called for each request: Reconcile in any instantiation,
	// knative's ReconcileKind and FinalizeKind, crossplane's external client.
	Reconcile
	// Worker is a function that takes items off a workqueue.
	Worker
	// Sync is a function that a worker calls with an item.
	Sync
	// Runnable is started once, by the manager.
	Runnable
	// LeaderCallback is called when leadership is won, lost or observed.
	LeaderCallback
	// Admission is called for each admission request: handlers, defaulters,
	// validators.
	Admission
	// HTTPHandler is called for each HTTP request.
	HTTPHandler
	// Periodic is called again and again by wait.Until and its like.
	Periodic
	// Watch is asked for a stream of events each time that a reflector
	// (re)connects.
	Watch
	// Transform is applied to each object before it enters a cache.
	Transform
	// InPlace is no entry: the function is called before the call that it is
	// handed to returns.
	InPlace
	// Spawned is no entry: the function is run in a goroutine of its own.
	Spawned
)

var entryKindNames = [...]string{
	NoEntry: "none", EventHandler: "event handler", Predicate: "predicate", MapFunc: "map function", Reconcile: "reconciler",
	Worker: "workqueue worker", Sync: "sync function", Runnable: "runnable", LeaderCallback: "leader election callback",
	Admission: "admission handler", HTTPHandler: "HTTP handler", Periodic: "periodic function", Watch: "watch",
	Transform: "transform function", InPlace: "callback", Spawned: "goroutine",
}

func (k EntryKind) String() string {
	if int(k) < len(entryKindNames) {
		return entryKindNames[k]
	}
	return "unknown"
}

// PerEvent reports whether an entry of the kind runs once for each event.
func (k EntryKind) PerEvent() bool { return k == EventHandler || k == Predicate || k == MapFunc }

// PerItem reports whether an entry of the kind runs once for each request or
// item of a queue.
func (k EntryKind) PerItem() bool { return k == Reconcile || k == Worker || k == Sync }

// FieldRole tells what a function stored into the index-th field of a struct
// is called for: the fields of ResourceEventHandlerFuncs and its kin, of
// controller-runtime's handler.Funcs and predicate.Funcs (typed and untyped),
// and of leader election's callbacks. The struct is told by the methods that
// it has.
func FieldRole(t types.Type, index int) (Role, bool) {
	s := structOf(t)
	if s == nil || index >= s.NumFields() {
		return Role{}, false
	}
	field := s.Field(index)
	sig, ok := field.Type().Underlying().(*types.Signature)
	if !ok {
		return Role{}, false
	}
	role := Role{What: field.Name()}
	switch {
	case isLeaderCallbacks(s):
		role.Kind = LeaderCallback
		return role, true
	case isInformerHandler(t):
		role.Kind, role.Objects = EventHandler, objectParams(sig)
		if returnsBool(sig) {
			role.Kind = Predicate
		}
	case IsEventHandler(t):
		role.Kind, role.Objects = EventHandler, objectParams(sig)
	case IsPredicate(t) && returnsBool(sig):
		role.Kind, role.Objects = Predicate, objectParams(sig)
	default:
		return Role{}, false
	}
	return role, true
}

// MethodRole tells what a method is called for because of the interface that
// its receiver's type implements.
func MethodRole(recv types.Type, method *types.Func) (Role, bool) {
	sig := method.Signature()
	role := Role{What: method.Name(), Objects: objectParams(sig)}
	switch method.Name() {
	case "OnAdd", "OnUpdate", "OnDelete":
		role.Kind = EventHandler
		return role, isInformerHandler(recv)
	case "Create", "Update", "Delete", "Generic":
		switch {
		case IsEventHandler(recv):
			role.Kind = EventHandler
			return role, true
		case IsPredicate(recv):
			role.Kind = Predicate
			return role, true
		case IsExternalClient(recv):
			role.Kind = Reconcile
			return role, true
		}
	case "Observe":
		role.Kind = Reconcile
		return role, IsExternalClient(recv)
	case "Connect":
		role.Kind = Reconcile
		results := sig.Results()
		return role, results.Len() == 2 && IsExternalClient(results.At(0).Type())
	case "Reconcile":
		role.Kind = Reconcile
		return role, isReconcile(sig)
	case "ReconcileKind", "FinalizeKind", "ObserveKind", "ObserveFinalizeKind":
		role.Kind = Reconcile
		return role, isKindReconcile(sig)
	case "Start":
		role.Kind = Runnable
		role.Objects = nil
		return role, isStart(sig)
	case "Handle":
		role.Kind = Admission
		return role, isAdmissionHandle(sig)
	case "Default", "ValidateCreate", "ValidateUpdate", "ValidateDelete":
		role.Kind = Admission
		return role, isAdmissionMethod(recv, method)
	case "ServeHTTP":
		role.Kind, role.Objects = HTTPHandler, nil
		return role, isHTTPHandler(sig)
	case "ResultChan":
		role.Kind, role.Objects = Watch, nil
		return role, isWatch(recv)
	}
	return Role{}, false
}

// ConversionRole tells what a function converted to the named function type t
// is called for: reconcile.Func, http.HandlerFunc, manager.RunnableFunc and
// whatever else makes a method out of a function.
func ConversionRole(t types.Type) (Role, bool) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return Role{}, false
	}
	if _, ok := named.Underlying().(*types.Signature); !ok {
		return Role{}, false
	}
	for method := range named.Methods() {
		if role, ok := MethodRole(named, method); ok {
			return role, true
		}
	}
	return Role{}, false
}

// SignatureRole tells what a function is called for that is used as a value,
// where its signature alone says it: a map function returns requests, an HTTP
// handler takes a response writer and a request.
func SignatureRole(sig *types.Signature) (Role, bool) {
	switch {
	case isMapFunc(sig):
		return Role{Kind: MapFunc, What: "map function", Objects: objectParams(sig)}, true
	case isHTTPHandler(sig):
		return Role{Kind: HTTPHandler, What: "HTTP handler"}, true
	}
	return Role{}, false
}

// ArgumentRole tells what callee does with the function that it gets as its
// index-th argument (the receiver not counted).
func ArgumentRole(callee *types.Func, index int) (Role, bool) {
	if callee == nil {
		return Role{}, false
	}
	sig := callee.Signature()
	param := paramAt(sig, index)
	if param == nil {
		return Role{}, false
	}
	if role, ok := waitRole(callee); ok {
		return role, true
	}
	if RunsInPlace(callee, index) {
		return Role{Kind: InPlace, What: callee.Name()}, true
	}
	if callee.Name() == "SetTransform" && sig.Params().Len() == 1 {
		return Role{Kind: Transform, What: "transform function", Objects: []int{0}}, true
	}
	if sig.Results().Len() == 0 {
		return Role{}, false
	}
	// A function that makes a handler or predicate out of functions:
	// predicate.NewPredicateFuncs, knative's controller.HandleAll.
	result := sig.Results().At(0).Type()
	if IsFuncType(result) {
		return Role{}, false
	}
	switch {
	case IsPredicate(result) && returnsBool(param):
		return Role{Kind: Predicate, What: "predicate", Objects: objectParams(param)}, true
	case isMapFunc(param):
		return Role{Kind: MapFunc, What: "map function", Objects: objectParams(param)}, true
	case isInformerHandler(result) && param.Params().Len() > 0 && param.Params().Len() < 3 && len(objectParams(param)) > 0:
		return Role{Kind: EventHandler, What: callee.Name(), Objects: objectParams(param)}, true
	}
	return Role{}, false
}

// waitRole recognises wait.Until and its like, which call a function again
// and again until they are told to stop.
func waitRole(callee *types.Func) (Role, bool) {
	name := callee.Name()
	if !isOfWait(callee) || IsPoller(callee) || !strings.Contains(name, "Until") && name != "Forever" {
		return Role{}, false
	}
	return Role{Kind: Periodic, What: "wait." + name}, true
}

// structOf returns the struct that t is or points to.
func structOf(t types.Type) *types.Struct {
	if ptr, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

// method returns the method of t, or of a pointer to it, with that name.
func method(t types.Type, name string) *types.Signature {
	if fn := methodNamed(t, name); fn != nil {
		return fn.Signature()
	}
	return nil
}

// paramAt returns the type of the function that the index-th parameter is; nil if it is none.
func paramAt(sig *types.Signature, index int) *types.Signature {
	params := sig.Params()
	if index < 0 || index >= params.Len() && !sig.Variadic() {
		return nil
	}
	t := params.At(min(index, params.Len()-1)).Type()
	if sig.Variadic() && index >= params.Len()-1 {
		slice, ok := t.(*types.Slice)
		if !ok {
			return nil
		}
		t = slice.Elem()
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = p.Constraint()
		// ~func(T) bool in a constraint: its one term's type.
		if iface, ok := t.Underlying().(*types.Interface); ok && iface.NumEmbeddeds() == 1 {
			if union, ok := iface.EmbeddedType(0).(*types.Union); ok && union.Len() == 1 {
				t = union.Term(0).Type()
			}
		}
	}
	fn, _ := t.Underlying().(*types.Signature)
	return fn
}

// isInformerHandler recognises client-go's ResourceEventHandler.
func isInformerHandler(t types.Type) bool {
	add, update, del := method(t, "OnAdd"), method(t, "OnUpdate"), method(t, "OnDelete")
	return add != nil && update != nil && del != nil &&
		add.Params().Len() >= 1 && add.Params().Len() <= 2 && isAny(add.Params().At(0).Type()) &&
		update.Params().Len() == 2 && isAny(update.Params().At(0).Type()) &&
		del.Params().Len() == 1 && isAny(del.Params().At(0).Type())
}

// IsEventHandler recognises controller-runtime's handler.EventHandler: typed
// and untyped, with and without a context.
func IsEventHandler(t types.Type) bool {
	return eventMethods(t, func(sig *types.Signature) bool {
		n := sig.Params().Len()
		return n >= 2 && n <= 3 && sig.Results().Len() == 0 && IsEvent(sig.Params().At(n-2).Type()) && HasMethod(sig.Params().At(n-1).Type(), "Add")
	})
}

// IsPredicate recognises controller-runtime's predicate.Predicate.
func IsPredicate(t types.Type) bool {
	return eventMethods(t, func(sig *types.Signature) bool {
		return sig.Params().Len() == 1 && returnsBool(sig) && IsEvent(sig.Params().At(0).Type())
	})
}

func eventMethods(t types.Type, shape func(*types.Signature) bool) bool {
	for _, name := range []string{"Create", "Update", "Delete", "Generic"} {
		sig := method(t, name)
		if sig == nil || !shape(sig) {
			return false
		}
	}
	return true
}

// IsEvent recognises event.CreateEvent and its kin: a struct with the object.
func IsEvent(t types.Type) bool { return HasField(t, "Object") || HasField(t, "ObjectNew") }

func isLeaderCallbacks(s *types.Struct) bool {
	var started, stopped bool
	for field := range s.Fields() {
		sig, ok := field.Type().Underlying().(*types.Signature)
		if !ok {
			continue
		}
		started = started || field.Name() == "OnStartedLeading" && sig.Params().Len() == 1
		stopped = stopped || field.Name() == "OnStoppedLeading"
	}
	return started && stopped
}

// isWatch recognises implementations of watch.Interface.
func isWatch(t types.Type) bool {
	result, stop := method(t, "ResultChan"), method(t, "Stop")
	if result == nil || stop == nil || result.Results().Len() != 1 || stop.Params().Len() != 0 {
		return false
	}
	ch, ok := result.Results().At(0).Type().Underlying().(*types.Chan)
	return ok && IsEvent(ch.Elem())
}

// isMapFunc recognises handler.MapFunc: from an object to requests.
func isMapFunc(sig *types.Signature) bool {
	if sig.Results().Len() != 1 || sig.Recv() != nil && sig.Params().Len() == 0 {
		return false
	}
	slice, ok := sig.Results().At(0).Type().Underlying().(*types.Slice)
	if !ok || !IsRequest(slice.Elem()) {
		return false
	}
	return fit(sig.Params(), IsObject) || fit(sig.Params(), IsContext, isObjectOrParam)
}

// isObjectOrParam is [IsObject], also for code that is written for any type of objects.
func isObjectOrParam(t types.Type) bool { return IsObject(t) || IsTypeParam(t) }

// objectParams are the parameters that carry the object: all but contexts,
// queues and flags.
func objectParams(sig *types.Signature) []int {
	var found []int
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if isAny(t) || IsObject(t) || IsEvent(t) || IsTypeParam(t) {
			found = append(found, i)
		}
	}
	return found
}

func isAny(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	return ok && iface.Empty() && !IsTypeParam(t)
}

// IsTypeParam reports whether t is a parameter of a generic type or function.
func IsTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func returnsBool(sig *types.Signature) bool { return fit(sig.Results(), IsBool) }

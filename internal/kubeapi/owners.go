package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// OwnerCall is a call that puts an owner reference on an object, after having
// made sure that the reference is allowed.
type OwnerCall struct {
	// Name is the function's, such as "SetControllerReference".
	Name          string
	Owner, Object ssa.Value
	// Controller tells that the owner becomes the object's controller.
	Controller bool
}

// OwnerCallOf recognises controllerutil's SetControllerReference and
// SetOwnerReference, also by the names that controller-runtime's root package
// gives them.
func OwnerCallOf(common *ssa.CallCommon) (OwnerCall, bool) {
	fn := Callee(common)
	if !IsFunc(fn, controllerutilPath, "SetControllerReference", "SetOwnerReference") || len(common.Args) < 3 {
		return OwnerCall{}, false
	}
	return OwnerCall{Name: fn.Name(), Owner: common.Args[0], Object: common.Args[1], Controller: fn.Name() == "SetControllerReference"}, true
}

// NewControllerRefOwner returns the owner that metav1.NewControllerRef makes a
// reference to.
func NewControllerRefOwner(common *ssa.CallCommon) (ssa.Value, bool) {
	if IsFunc(Callee(common), metav1Path, "NewControllerRef") && len(common.Args) == 2 {
		return common.Args[0], true
	}
	return nil, false
}

// AccessorArgument returns what meta.Accessor gives access to the
// metadata of.
func AccessorArgument(common *ssa.CallCommon) (ssa.Value, bool) {
	if IsFunc(Callee(common), "k8s.io/apimachinery/pkg/api/meta", "Accessor") && len(common.Args) == 1 {
		return common.Args[0], true
	}
	return nil, false
}

// IsOwnerReference reports whether t is metav1.OwnerReference or a pointer to
// it.
func IsOwnerReference(t types.Type) bool { return IsNamed(t, metav1Path, "OwnerReference") }

// IsObjectReference reports whether t is, or points to, a reference to any object.
func IsObjectReference(t types.Type) bool { return IsNamed(t, "k8s.io/api/core/v1", "ObjectReference") }

// IsSecretsOfAccount reports whether the index-th field of t is the list of the Secrets that a service
// account's pods may use.
func IsSecretsOfAccount(t types.Type, index int) bool {
	return IsNamed(t, corev1Path, "ServiceAccount") && fieldName(t, index) == "Secrets"
}

// IsOwnerReferences reports whether t is a list of owner references.
func IsOwnerReferences(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	return ok && IsOwnerReference(slice.Elem())
}

// IsNamespaceGetter reports whether fn returns an object's namespace.
func IsNamespaceGetter(fn *types.Func) bool { return isMetaGetter(fn, "GetNamespace") }

// IsUIDGetter reports whether fn returns an object's UID.
func IsUIDGetter(fn *types.Func) bool { return isMetaGetter(fn, "GetUID") }

// IsMetaSetter reports whether fn is the setter of that name of an object's
// metadata, such as SetNamespace.
func IsMetaSetter(fn *types.Func, name string) bool {
	return isMethod(fn, name) && fn.Signature().Params().Len() == 1 && fn.Signature().Results().Len() == 0 &&
		HasMethod(fn.Signature().Recv().Type(), "GetResourceVersion")
}

// WatchCall is a call that tells a controller to watch a kind.
type WatchCall struct {
	// Method is For or Owns of the builder, or Watch for all others.
	Method string
	// Object is an object of the kind that is watched; nil if it is not seen.
	Object ssa.Value
	// Handler is what events are handed to: nil for For and Owns.
	Handler ssa.Value
	// EveryOwner tells that Owns may react to all owners, not just to the one
	// that is the object's controller.
	EveryOwner bool
}

const runtimePath = "sigs.k8s.io/controller-runtime/pkg/"

// WatchCallOf recognises the methods of controller-runtime's builder that say
// what to watch, the sources made with syntax.Kind, and a controller's Watch of
// a source that does not have its handler itself.
func WatchCallOf(common *ssa.CallCommon) (WatchCall, bool) {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil {
		return WatchCall{}, false
	}
	_, args := Args(common)
	switch path := fn.Pkg().Path(); {
	case path == runtimePath+"builder" && fn.Signature().Recv() != nil && len(args) > 0:
		return builderCall(fn, args)
	case path == runtimePath+"source" && (fn.Name() == "Kind" || fn.Name() == "TypedKind") && len(args) > 2:
		return WatchCall{Method: "Watch", Object: stripInterfaces(args[1]), Handler: stripInterfaces(args[2])}, true
	case fn.Name() == "Watch" && path == runtimePath+"controller" && len(args) > 1:
		return WatchCall{Method: "Watch", Object: sourceObject(args[0]), Handler: stripInterfaces(args[1])}, true
	}
	return WatchCall{}, false
}

func builderCall(fn *types.Func, args []ssa.Value) (WatchCall, bool) {
	object := stripInterfaces(args[0])
	switch fn.Name() {
	case "For":
		return WatchCall{Method: "For", Object: object}, true
	case "Owns":
		w := WatchCall{Method: "Owns", Object: object}
		if !fn.Signature().Variadic() {
			return w, true
		}
		options, known := VariadicArgs(args[len(args)-1])
		w.EveryOwner = !known
		for _, option := range options {
			w.EveryOwner = w.EveryOwner || IsMatchEveryOwner(option)
		}
		return w, true
	case "Watches", "WatchesRawSource", "WatchesMetadata":
		w := WatchCall{Method: "Watch", Object: object}
		if KindOf(object.Type()) == nil {
			w.Object = sourceObject(object)
		}
		if len(args) > 1 {
			w.Handler = stripInterfaces(args[1])
		}
		return w, true
	}
	return WatchCall{}, false
}

// CanMatchEveryOwner reports whether the builder whose method is called has the option
// MatchEveryOwner, which is as old as a method of its: of packages that are not imported
// directly, the compiler tells methods alone.
func CanMatchEveryOwner(owns *ssa.CallCommon) bool {
	builder, _ := Args(owns)
	return builder != nil && HasMethod(builder.Type(), "WatchesRawSource")
}

// IsMatchEveryOwner reports whether an option of Owns has it react to all
// owners.
func IsMatchEveryOwner(option ssa.Value) bool {
	load, ok := stripInterfaces(option).(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && global.Name() == "MatchEveryOwner"
}

// sourceObject returns the object that a source of events is made for.
func sourceObject(source ssa.Value) ssa.Value {
	switch x := stripInterfaces(source).(type) {
	case *ssa.Call:
		if fn := Callee(x.Common()); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == runtimePath+"source" && fn.Name() == "Kind" && len(x.Common().Args) > 1 {
			return stripInterfaces(x.Common().Args[1])
		}
	case *ssa.Alloc:
		if IsNamed(x.Type(), runtimePath+"source", "Kind") {
			return storedField(x, "Type")
		}
	}
	return nil
}

// OwnerHandler is a handler that enqueues the owner of an object.
type OwnerHandler struct {
	Owner ssa.Value
	// OnlyController tells that an owner which is not the object's controller
	// is not enqueued.
	OnlyController bool
}

// OwnerHandlerOf recognises handler.EnqueueRequestForOwner, the function and
// the older struct.
func OwnerHandlerOf(v ssa.Value) (OwnerHandler, bool) {
	if v == nil {
		return OwnerHandler{}, false
	}
	switch x := stripInterfaces(v).(type) {
	case *ssa.Call:
		fn := Callee(x.Common())
		args := x.Common().Args
		if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != runtimePath+"handler" || len(args) != 4 ||
			fn.Name() != "EnqueueRequestForOwner" && fn.Name() != "TypedEnqueueRequestForOwner" {
			return OwnerHandler{}, false
		}
		h := OwnerHandler{Owner: stripInterfaces(args[2])}
		options, _ := VariadicArgs(args[3])
		for _, option := range options {
			call, ok := stripInterfaces(option).(*ssa.Call)
			h.OnlyController = h.OnlyController || ok && IsFunc(Callee(call.Common()), runtimePath+"handler", "OnlyControllerOwner")
		}
		return h, true
	case *ssa.Alloc:
		if !IsNamed(x.Type(), runtimePath+"handler", "EnqueueRequestForOwner") {
			return OwnerHandler{}, false
		}
		owner := storedField(x, "OwnerType")
		if owner == nil {
			return OwnerHandler{}, false
		}
		only, _ := ConstBool(storedField(x, "IsController"))
		return OwnerHandler{Owner: owner, OnlyController: only}, true
	}
	return OwnerHandler{}, false
}

// storedField returns the one value that is stored into a field of a struct
// which is put together in place, or nil.
func storedField(alloc *ssa.Alloc, name string) ssa.Value {
	stored := storedInField(alloc, name)
	if len(stored) != 1 {
		return nil
	}
	return stripInterfaces(stored[0])
}

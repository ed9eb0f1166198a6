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
	name, path := "", ""
	if fn := Callee(common); fn != nil {
		if fn.Pkg() == nil || fn.Signature().Recv() != nil {
			return OwnerCall{}, false
		}
		name, path = fn.Name(), fn.Pkg().Path()
	} else if load, ok := common.Value.(*ssa.UnOp); ok {
		// A variable: ctrl.SetControllerReference.
		global, ok := load.X.(*ssa.Global)
		if !ok || global.Object() == nil || global.Object().Pkg() == nil {
			return OwnerCall{}, false
		}
		name, path = global.Name(), global.Object().Pkg().Path()
	}
	if path != controllerutilPath && path != "sigs.k8s.io/controller-runtime" || len(common.Args) < 3 {
		return OwnerCall{}, false
	}
	switch name {
	case "SetControllerReference", "SetOwnerReference":
		return OwnerCall{Name: name, Owner: common.Args[0], Object: common.Args[1], Controller: name == "SetControllerReference"}, true
	}
	return OwnerCall{}, false
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
	const meta = "k8s.io/apimachinery/pkg/api/meta"
	fn := Callee(common)
	if IsFunc(fn, meta, "Accessor") && len(common.Args) == 1 {
		return common.Args[0], true
	}
	return nil, false
}

// IsOwnerReference reports whether t is metav1.OwnerReference or a pointer to
// it.
func IsOwnerReference(t types.Type) bool { return IsNamed(t, metav1Path, "OwnerReference") }

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
	if fn == nil || fn.Name() != name || fn.Signature().Recv() == nil {
		return false
	}
	sig := fn.Signature()
	return sig.Params().Len() == 1 && sig.Results().Len() == 0 && HasMethod(sig.Recv().Type(), "GetResourceVersion")
}

// BuilderCall is a call of a method by which a controller-runtime builder is
// told what to watch.
type BuilderCall struct {
	// Method is For, Owns, Watches, WatchesRawSource or WatchesMetadata.
	Method string
	// Object is the kind that is watched, if it is an argument of its own.
	Object ssa.Value
	// Options are the variadic options; OptionsKnown tells that they are all.
	Options      []ssa.Value
	OptionsKnown bool
}

// BuilderCallOf recognises the calls of controller-runtime's builder that say
// what to watch.
func BuilderCallOf(common *ssa.CallCommon) (BuilderCall, bool) {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil || len(common.Args) < 2 {
		return BuilderCall{}, false
	}
	named := Named(fn.Signature().Recv().Type())
	if named == nil || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "sigs.k8s.io/controller-runtime/pkg/builder" {
		return BuilderCall{}, false
	}
	switch fn.Name() {
	case "For", "Owns", "Watches", "WatchesRawSource", "WatchesMetadata":
	default:
		return BuilderCall{}, false
	}
	_, args := Args(common)
	b := BuilderCall{Method: fn.Name(), Object: stripInterfaces(args[0])}
	if last := args[len(args)-1]; fn.Signature().Variadic() {
		b.Options, b.OptionsKnown = VariadicArgs(last)
	}
	return b, true
}

// IsMatchEveryOwner reports whether an option of Owns has it react to all
// owners, not to the controller only.
func IsMatchEveryOwner(option ssa.Value) bool {
	load, ok := stripInterfaces(option).(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && global.Name() == "MatchEveryOwner"
}

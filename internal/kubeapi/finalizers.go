package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// FinalizerVerb is what a function of the ecosystem does with a finalizer.
type FinalizerVerb uint8

const (
	// AddsFinalizer puts it on the list.
	AddsFinalizer FinalizerVerb = iota + 1
	// RemovesFinalizer takes it off the list.
	RemovesFinalizer
	// RunsFinalizers does both, as controller-runtime's finalizer registry.
	RunsFinalizers
)

// FinalizerCall is a call that changes an object's list of finalizers.
type FinalizerCall struct {
	Verb   FinalizerVerb
	Object ssa.Value
	// Name is the finalizer; nil if the callee knows it.
	Name ssa.Value
	// Persists tells that the callee also writes the object.
	Persists bool
	// Guarded tells that the callee adds nothing to an object that is being
	// deleted.
	Guarded bool
}

const controllerutilPath = "sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

// FinalizerCallOf recognises a call of the helpers that libraries have for
// finalizers: controllerutil's AddFinalizer and RemoveFinalizer (of any
// generation), cluster-api's EnsureFinalizer, the Finalizer interface of
// crossplane, and controller-runtime's finalizer registry.
func FinalizerCallOf(common *ssa.CallCommon) (FinalizerCall, bool) {
	fn := Callee(common)
	if fn == nil {
		return FinalizerCall{}, false
	}
	recv, args := Args(common)
	switch {
	case fn.Pkg() != nil && fn.Pkg().Path() == controllerutilPath && len(args) == 2:
		switch fn.Name() {
		case "AddFinalizer", "AddFinalizerWithError":
			return FinalizerCall{Verb: AddsFinalizer, Object: args[0], Name: args[1]}, true
		case "RemoveFinalizer", "RemoveFinalizerWithError":
			return FinalizerCall{Verb: RemovesFinalizer, Object: args[0], Name: args[1]}, true
		}
	case IsFunc(fn, "sigs.k8s.io/cluster-api/util/finalizers", "EnsureFinalizer") && len(args) == 4:
		return FinalizerCall{Verb: AddsFinalizer, Object: args[2], Name: args[3], Persists: true, Guarded: true}, true
	case recv != nil && len(args) == 2 && isFinalizerMethod(fn.Signature()):
		object := args[1]
		switch fn.Name() {
		case "AddFinalizer":
			return FinalizerCall{Verb: AddsFinalizer, Object: object, Persists: true}, true
		case "RemoveFinalizer":
			return FinalizerCall{Verb: RemovesFinalizer, Object: object, Persists: true}, true
		}
	case recv != nil && fn.Name() == "Finalize" && len(args) == 2 && IsContext(args[0].Type()) && IsObject(args[1].Type()) && isFinalizerResult(fn.Signature()):
		return FinalizerCall{Verb: RunsFinalizers, Object: args[1]}, true
	}
	return FinalizerCall{}, false
}

// isFinalizerMethod recognises the methods of crossplane's resource.Finalizer:
// a context and an object in, an error out.
func isFinalizerMethod(sig *types.Signature) bool {
	return fit(sig.Params(), IsContext, IsObject) && fit(sig.Results(), IsError)
}

// isFinalizerResult recognises the result of controller-runtime's
// finalizer.Finalizers: a struct that tells whether the object was updated.
func isFinalizerResult(sig *types.Signature) bool {
	results := sig.Results()
	return results.Len() == 2 && IsError(results.At(1).Type()) && HasField(results.At(0).Type(), "Updated")
}

// IsFinalizerSetter reports whether fn replaces an object's list of finalizers.
func IsFinalizerSetter(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	aspect, ok := MetadataSetter(fn)
	return ok && aspect == Finalizers
}

// IsFinalizerGetter reports whether fn returns an object's list of finalizers.
func IsFinalizerGetter(fn *types.Func) bool { return isMetaGetter(fn, "GetFinalizers") }

// IsDeletionTimestampGetter reports whether fn returns when an object was asked
// to be deleted.
func IsDeletionTimestampGetter(fn *types.Func) bool { return isMetaGetter(fn, "GetDeletionTimestamp") }

// IsDeletionTime reports whether v is when an object was asked to be deleted, or its
// address.
func IsDeletionTime(v ssa.Value) bool {
	for load, ok := v.(*ssa.UnOp); ok; load, ok = v.(*ssa.UnOp) {
		v = load.X
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return isDeletionField(v.X.Type(), v.Field)
	case *ssa.Field:
		return isDeletionField(v.X.Type(), v.Field)
	case *ssa.Call:
		return IsDeletionTimestampGetter(Callee(v.Common()))
	}
	return false
}

func isDeletionField(t types.Type, field int) bool {
	return IsObjectMeta(t) && structOf(t).Field(field).Name() == "DeletionTimestamp"
}

// ChangesOnlyMetadata reports whether all that fn changes of an object is its metadata or
// its type.
func ChangesOnlyMetadata(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	if changes := mutators[FullName(fn)]; len(changes) == 1 {
		return len(changes[0].Path) > 0 && changes[0].Path[0] == MetadataPath
	}
	_, ok := setsMetadata(fn)
	return ok
}

// IsMetaGetter reports whether fn hands out a part of an object's metadata or type.
func IsMetaGetter(fn *types.Func) bool {
	return fn != nil && metaGetters[fn.Name()] && isMetaGetter(fn, fn.Name()) &&
		fn.Pkg() != nil && (fn.Pkg().Path() == metav1Path || fn.Pkg().Path() == unstructuredPath)
}

var metaGetters = map[string]bool{
	"GetName": true, "GetNamespace": true, "GetGenerateName": true, "GetUID": true, "GetGeneration": true, "GetResourceVersion": true,
	"GetDeletionTimestamp": true, "GetCreationTimestamp": true, "GetLabels": true, "GetAnnotations": true, "GetFinalizers": true,
	"GetOwnerReferences": true, "GetKind": true, "GetAPIVersion": true,
}

func isMetaGetter(fn *types.Func, name string) bool {
	return isMethod(fn, name) && fn.Signature().Params().Len() == 0 && fn.Signature().Results().Len() == 1
}

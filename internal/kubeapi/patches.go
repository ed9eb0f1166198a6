package kubeapi

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// PatchKind is how the API server applies a patch.
type PatchKind uint8

const (
	// OtherPatch is any that does not replace lists, or that is not known.
	OtherPatch PatchKind = iota
	// MergePatch is a JSON merge patch (RFC 7386): each list in it replaces
	// the stored one.
	MergePatch
)

// PatchSpec is what a client.Patch or the arguments of a typed client's Patch
// say.
type PatchSpec struct {
	Kind PatchKind
	// Locked tells that the patch carries the resourceVersion, so that it
	// fails if the object has changed meanwhile.
	Locked bool
	// From is the object that the patch is computed against, or nil.
	From ssa.Value
	// Data has the patch, if it is given as bytes.
	Data ssa.Value
}

const (
	clientPath     = "sigs.k8s.io/controller-runtime/pkg/client"
	mergePatchType = "application/merge-patch+json"
)

// PatchMadeBy recognises controller-runtime's constructors of patches.
func PatchMadeBy(common *ssa.CallCommon) (PatchSpec, bool) {
	fn := Callee(common)
	_, args := Args(common)
	switch {
	case IsFunc(fn, clientPath, "MergeFrom") && len(args) == 1:
		return PatchSpec{Kind: MergePatch, From: args[0]}, true
	case IsFunc(fn, clientPath, "MergeFromWithOptions") && len(args) == 2:
		return PatchSpec{Kind: MergePatch, From: args[0], Locked: locks(args[1])}, true
	case (IsFunc(fn, clientPath, "RawPatch") || IsFunc(fn, clientPath, "ConstantPatch")) && len(args) == 2:
		return PatchSpec{Kind: patchKind(args[0]), Data: args[1]}, true
	}
	return PatchSpec{}, false
}

// locks reports whether the options of a merge patch ask for the optimistic
// lock, or may.
func locks(options ssa.Value) bool {
	values, ok := VariadicArgs(options)
	if !ok {
		return true
	}
	for _, v := range values {
		t := stripInterfaces(v).Type()
		// MergeFromOptions has all options, and any type of another package may be one.
		if named := Named(t); named == nil || named.Obj().Name() != "MergeFromWithOptimisticLock" && named.Obj().Name() != "MergeFromOption" {
			return true
		}
	}
	return len(values) > 0
}

func patchKind(v ssa.Value) PatchKind {
	if s, ok := ConstString(v); ok && s == mergePatchType {
		return MergePatch
	}
	return OtherPatch
}

// TypedPatch recognises the patch that a typed or dynamic client's Patch is
// given.
func TypedPatch(common *ssa.CallCommon) (PatchSpec, bool) {
	op, ok := ClientOp(common)
	if !ok || op.Verb != Patch || !op.Result || op.Data == nil {
		return PatchSpec{}, false
	}
	_, args := Args(common)
	for _, arg := range args {
		if IsNamed(arg.Type(), "k8s.io/apimachinery/pkg/types", "PatchType") {
			return PatchSpec{Kind: patchKind(arg), Data: op.Data}, true
		}
	}
	return PatchSpec{}, false
}

// PatchArgument returns the client.Patch that a call of a controller-runtime
// client's Patch is given, or nil.
func PatchArgument(common *ssa.CallCommon) ssa.Value {
	op, ok := ClientOp(common)
	if !ok || op.Verb != Patch || op.Result {
		return nil
	}
	_, args := Args(common)
	if len(args) < 3 || !HasMethod(args[2].Type(), "Data") {
		return nil
	}
	return args[2]
}

// DiffOf recognises functions that compute a JSON merge patch from one
// document to another, and returns these as they were encoded.
func DiffOf(common *ssa.CallCommon) (from, to ssa.Value, ok bool) {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil {
		return nil, nil, false
	}
	_, args := Args(common)
	switch path := fn.Pkg().Path(); {
	case fn.Name() == "CreateMergePatch" && strings.Contains(path, "json-patch") && len(args) == 2:
		return args[0], args[1], true
	case fn.Name() == "CreateThreeWayJSONMergePatch" && strings.HasSuffix(path, "k8s.io/apimachinery/pkg/util/jsonmergepatch") && len(args) >= 3:
		return args[2], args[1], true
	}
	return nil, nil, false
}

// EncodedBy returns what a call encodes as JSON, or nil: Marshal of any
// package, since there are many that stand in for encoding/json.
func EncodedBy(common *ssa.CallCommon) ssa.Value {
	fn := Callee(common)
	if fn == nil || fn.Name() != "Marshal" || fn.Signature().Results().Len() != 2 || !IsError(fn.Signature().Results().At(1).Type()) {
		return nil
	}
	_, args := Args(common)
	params := fn.Signature().Params()
	if len(args) != 1 || params.Len() != 1 || !isAny(params.At(0).Type()) {
		return nil
	}
	return args[0]
}

// IsAccessor reports whether fn returns the metadata of the object that it is
// given (meta.Accessor) or called on (GetObjectMeta): the same object under
// another type.
func IsAccessor(common *ssa.CallCommon) (object ssa.Value, ok bool) {
	fn := Callee(common)
	if fn == nil {
		return nil, false
	}
	recv, args := Args(common)
	switch {
	case IsFunc(fn, "k8s.io/apimachinery/pkg/api/meta", "Accessor") && len(args) == 1:
		return args[0], true
	case fn.Name() == "GetObjectMeta" && recv != nil && len(args) == 0 && fn.Signature().Results().Len() == 1 && HasMethod(fn.Signature().Results().At(0).Type(), "GetFinalizers"):
		return recv, true
	}
	return nil, false
}

// ReadsCache reports whether fn hands out objects of a cache or the API
// server: a lister's Get and List, an indexer's GetByKey.
func ReadsCache(common *ssa.CallCommon) bool {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	recv := fn.Signature().Recv().Type()
	params, results := fn.Signature().Params(), fn.Signature().Results()
	switch fn.Name() {
	case "Get", "List":
		return params.Len() == 1 && results.Len() == 2 && IsError(results.At(1).Type()) && HasMethod(recv, "List") &&
			(IsObject(results.At(0).Type()) || fn.Name() == "List") && !IsContext(params.At(0).Type())
	case "GetByKey":
		return params.Len() == 1 && results.Len() == 3 && HasMethod(recv, "Index")
	}
	return false
}

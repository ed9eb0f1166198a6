package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

const schemePath = "k8s.io/apimachinery/pkg/runtime"

// IsScheme reports whether t is a runtime.Scheme or a pointer to one.
func IsScheme(t types.Type) bool { return IsNamed(t, schemePath, "Scheme") }

// registeringMethods are the methods of a scheme that refuse what does not fit
// by an error.
var registeringMethods = newNameTable(
	"(*"+schemePath+".Scheme).AddConversionFunc*", "(*"+schemePath+".Scheme).AddGeneratedConversionFunc*",
	"(*"+schemePath+".Scheme).AddFieldLabelConversionFunc", "(*"+schemePath+".Scheme).AddIgnoredConversionType*",
	"(*"+schemePath+".Scheme).SetVersionPriority",
)

// Registration recognises a call that registers types, conversions or defaults
// in a scheme and says by an error whether it could: AddToScheme and whatever
// has its signature, be it a function, a method or a variable.
func Registration(common *ssa.CallCommon) (scheme ssa.Value, ok bool) {
	sig := common.Signature()
	if sig == nil || sig.Results().Len() != 1 || !IsError(sig.Results().At(0).Type()) {
		return nil, false
	}
	recv, args := Args(common)
	if callee := Callee(common); recv != nil && registeringMethods.match(callee) {
		return recv, true
	}
	if len(args) != 1 || sig.Variadic() || !IsScheme(args[0].Type()) {
		return nil, false
	}
	return args[0], true
}

// Registers reports whether what has a type registers types in a scheme that it is given: AddToScheme and
// its like, or a SchemeBuilder.
func Registers(t types.Type) bool {
	if sig, ok := Deref(t).Underlying().(*types.Signature); ok {
		return AnyIs(sig.Params(), IsScheme)
	}
	return HasMethod(t, "AddToScheme")
}

// KnownTypes is a call that registers types under a version.
type KnownTypes struct {
	// Builder is the scheme.Builder that has the version, or nil.
	Builder ssa.Value
	// Version is the GroupVersion or GroupVersionKind, or nil.
	Version ssa.Value
	// Scheme is what they are registered in, nil for a builder.
	Scheme  ssa.Value
	Objects []ssa.Value
}

// KnownTypesOf recognises Scheme.AddKnownTypes and AddKnownTypeWithName, and
// Register of controller-runtime's scheme.Builder and its like: a method of a
// struct with a GroupVersion that takes objects.
func KnownTypesOf(common *ssa.CallCommon) (KnownTypes, bool) {
	callee := Callee(common)
	if callee == nil || callee.Signature().Recv() == nil {
		return KnownTypes{}, false
	}
	recv, args := Args(common)
	if recv == nil || len(args) == 0 {
		return KnownTypes{}, false
	}
	switch callee.Name() {
	case "AddKnownTypes":
		if len(args) != 2 || !IsScheme(recv.Type()) {
			return KnownTypes{}, false
		}
		objects, ok := VariadicArgs(args[1])
		return KnownTypes{Version: args[0], Scheme: recv, Objects: objects}, ok
	case "AddKnownTypeWithName":
		if len(args) != 2 || !IsScheme(recv.Type()) {
			return KnownTypes{}, false
		}
		return KnownTypes{Version: args[0], Scheme: recv, Objects: args[1:]}, true
	case "Register":
		if len(args) != 1 || !callee.Signature().Variadic() || VersionField(recv.Type()) < 0 {
			return KnownTypes{}, false
		}
		objects, ok := VariadicArgs(args[0])
		return KnownTypes{Builder: recv, Objects: objects}, ok
	}
	return KnownTypes{}, false
}

// VersionField is the index of the field of a builder that has its
// GroupVersion, or -1.
func VersionField(t types.Type) int {
	s := structOf(t)
	if s == nil {
		return -1
	}
	for n := range s.NumFields() {
		if IsNamed(s.Field(n).Type(), schemePath+"/schema", "GroupVersion") {
			return n
		}
	}
	return -1
}

// IsKindOfVersion reports whether fn makes a GroupVersionKind of a
// GroupVersion.
func IsKindOfVersion(fn *types.Func) bool {
	return fn != nil && FullName(fn) == "("+schemePath+"/schema.GroupVersion).WithKind"
}

// asksScheme are the questions by which code finds out whether something is
// registered already.
var asksScheme = newNameTable(
	"(*"+schemePath+".Scheme).Recognizes", "(*"+schemePath+".Scheme).IsGroupRegistered", "(*"+schemePath+".Scheme).IsVersionRegistered",
	"(*"+schemePath+".Scheme).ObjectKinds", "(*"+schemePath+".Scheme).KnownTypes",
)

// AsksScheme reports whether fn tells what a scheme has.
func AsksScheme(fn *types.Func) bool { return asksScheme.match(fn) }

// SharedScheme reports whether fn hands out the scheme of a client, manager or
// cluster, which these use.
func SharedScheme(fn *types.Func) bool { return isGetter(fn, IsScheme, "Scheme", "GetScheme") }

package kubeapi

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const unstructuredPath = metav1Path + "/unstructured"

// IsUnstructured reports whether t is, or points to, unstructured.Unstructured.
func IsUnstructured(t types.Type) bool { return IsNamed(t, unstructuredPath, "Unstructured") }

// IsUnstructuredList reports whether t is, or points to,
// unstructured.UnstructuredList.
func IsUnstructuredList(t types.Type) bool { return IsNamed(t, unstructuredPath, "UnstructuredList") }

// IsContentField reports whether the field of t is the content of an
// unstructured object.
func IsContentField(t types.Type, field *types.Var) bool {
	return field != nil && field.Name() == "Object" && IsUnstructured(t)
}

// ContentOwner returns the object whose content a call returns:
// u.UnstructuredContent().
func ContentOwner(common *ssa.CallCommon) ssa.Value {
	fn := Callee(common)
	if fn == nil || fn.Name() != "UnstructuredContent" || fn.Signature().Recv() == nil || fn.Signature().Params().Len() != 0 {
		return nil
	}
	recv, _ := Args(common)
	return recv
}

// NestedCall is a call of one of the functions that look up, set or remove a
// field in the content of an unstructured object.
type NestedCall struct {
	Name string
	// Content is the map that the fields lead from.
	Content ssa.Value
	// Fields has the names of the fields; Known is false if they are not
	// written out at the call.
	Fields []ssa.Value
	Known  bool
	// Sets tells that the call stores something there.
	Sets bool
}

// NestedCallOf recognises unstructured.NestedString and its kin, and
// SetNestedField and its.
func NestedCallOf(common *ssa.CallCommon) (NestedCall, bool) {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil || len(common.Args) < 2 ||
		strings.TrimPrefix(fn.Pkg().Path(), vendorPrefix(fn.Pkg().Path())) != unstructuredPath {
		return NestedCall{}, false
	}
	call := NestedCall{Name: fn.Name(), Content: common.Args[0]}
	switch {
	case strings.HasPrefix(fn.Name(), "SetNested"):
		call.Sets = true
	case strings.HasPrefix(fn.Name(), "Nested"):
	default:
		return NestedCall{}, false
	}
	call.Fields, call.Known = VariadicArgs(common.Args[len(common.Args)-1])
	return call, true
}

// vendorPrefix is what a path has in front of that of a vendored package.
func vendorPrefix(path string) string {
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		return path[:i+len("/vendor/")]
	}
	return ""
}

// guaranteedFields are the fields that every object has which the API server
// has handed out.
var guaranteedFields = map[string]bool{
	"apiVersion": true, "kind": true, "metadata": true, "metadata.name": true, "metadata.namespace": true, "metadata.uid": true,
	"metadata.resourceVersion": true, "metadata.creationTimestamp": true, "items": true,
}

// guaranteedElements are the fields that each element of a well-known list
// has.
var guaranteedElements = map[string][]string{
	"containers": {"name", "image"}, "initContainers": {"name", "image"}, "ephemeralContainers": {"name"}, "volumes": {"name"}, "env": {"name"},
	"volumeMounts": {"name", "mountPath"}, "ports": {"port", "containerPort"}, "conditions": {"type", "status"},
	"ownerReferences": {"apiVersion", "kind", "name", "uid"}, "versions": {"name", "served", "storage"}, "subjects": {"kind", "name"},
	"addresses": {"ip", "type", "address"}, "items": {"apiVersion", "kind", "metadata"}, "containerStatuses": {"name", "ready", "restartCount"},
}

// IsGuaranteedField reports whether the API guarantees the field that a path
// from the object leads to; an element of a list is "[]".
func IsGuaranteedField(path []string) bool {
	if guaranteedFields[strings.Join(path, ".")] {
		return true
	}
	n := len(path)
	if n >= 2 && path[n-1] == "name" && isReferenceName(path[n-2]) {
		return true
	}
	if n < 3 || path[n-2] != "[]" {
		return false
	}
	return slices.Contains(guaranteedElements[path[n-3]], path[n-1])
}

// isReferenceName reports whether a field is called as references to other
// objects are, which all have a name.
func isReferenceName(field string) bool {
	return strings.HasSuffix(field, "Ref") || strings.HasSuffix(field, "Reference") || field == "ref"
}

// IsNumberOfContent reports whether numbers in unstructured content can have
// the type t: they are int64 or float64, whatever the Go type of the field is.
// ok is false for types that are no numbers.
func IsNumberOfContent(t types.Type) (can, ok bool) {
	b, isBasic := t.(*types.Basic)
	if !isBasic || b.Info()&types.IsNumeric == 0 {
		named, isNamed := types.Unalias(t).(*types.Named)
		if !isNamed {
			return false, false
		}
		under, isBasic := named.Underlying().(*types.Basic)
		return false, isBasic && under.Info()&types.IsNumeric != 0
	}
	return b.Kind() == types.Int64 || b.Kind() == types.Float64, true
}

// IsDeepCopyOfContent recognises runtime.DeepCopyJSON and DeepCopyJSONValue.
func IsDeepCopyOfContent(common *ssa.CallCommon) bool {
	return IsFunc(Callee(common), schemePath, "DeepCopyJSON", "DeepCopyJSONValue")
}

// NestedFuncFor names the function of unstructured that reads a field of a type and
// tells whether it is there; "" if there is none.
func NestedFuncFor(t types.Type) string {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return "NestedMap"
	case *types.Slice:
		return "NestedSlice"
	case *types.Basic:
		switch t.Kind() {
		case types.String:
			return "NestedString"
		case types.Bool:
			return "NestedBool"
		case types.Int64:
			return "NestedInt64"
		case types.Float64:
			return "NestedFloat64"
		}
	}
	return ""
}

// HoldsUnstructured reports whether a value, behind conversions to interfaces, is an
// unstructured object.
func HoldsUnstructured(v ssa.Value) bool {
	for ; v != nil; v = Converted(v) {
		if IsUnstructured(v.Type()) {
			return true
		}
	}
	return false
}

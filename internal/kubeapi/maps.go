package kubeapi

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const corev1Path = "k8s.io/api/core/v1"

// dataFields are the maps of ConfigMaps and Secrets that hold what they are for.
var dataFields = map[string][]string{"ConfigMap": {"Data", "BinaryData"}, "Secret": {"Data", "StringData"}}

// HasData reports whether a kind, named by [KindID], is a ConfigMap or Secret, whose
// data is what it is for.
func HasData(kindID string) bool {
	name, ok := strings.CutPrefix(kindID, corev1Path+".")
	return ok && dataFields[name] != nil
}

// IsMetadataMap reports whether the index-th field of t is the labels or
// annotations of an object.
func IsMetadataMap(t types.Type, index int) bool {
	name := fieldName(t, index)
	return IsObjectMeta(t) && (name == "Labels" || name == "Annotations")
}

// IsDataMap reports whether the index-th field of t is the data of a ConfigMap
// or Secret.
func IsDataMap(t types.Type, index int) bool {
	for kind, fields := range dataFields {
		if IsNamed(t, corev1Path, kind) && slices.Contains(fields, fieldName(t, index)) {
			return true
		}
	}
	return false
}

// IsWriteOnly reports whether the API server never sends a map of a kind, so
// that it is nil in each object that was read.
func IsWriteOnly(kind *types.Named, path []string) bool {
	return kind != nil && IsNamed(kind, corev1Path, "Secret") && strings.Join(path, ".") == "StringData"
}

// filled are the maps that objects of a kind have whoever made them: the API
// server, the kubelet or a controller of Kubernetes sees to it.
var filled = map[string][]string{
	"Node": {"ObjectMeta.Labels"}, "Namespace": {"ObjectMeta.Labels"}, "Pod": {"ObjectMeta.Labels"},
	"Deployment":  {"Spec.Template.ObjectMeta.Labels", "ObjectMeta.Annotations"},
	"StatefulSet": {"Spec.Template.ObjectMeta.Labels"}, "DaemonSet": {"Spec.Template.ObjectMeta.Labels", "ObjectMeta.Annotations"},
	"ReplicaSet": {"Spec.Template.ObjectMeta.Labels", "ObjectMeta.Labels", "ObjectMeta.Annotations"}, "Job": {"Spec.Template.ObjectMeta.Labels"},
	"EndpointSlice": {"ObjectMeta.Labels"}, "ControllerRevision": {"ObjectMeta.Labels"},
}

// IsFilled reports whether a map is never nil in objects of a kind of
// Kubernetes' own that are in use.
func IsFilled(kind *types.Named, path []string) bool {
	return kind != nil && kind.Obj().Pkg() != nil && strings.Contains(kind.Obj().Pkg().Path(), "k8s.io/api/") &&
		slices.Contains(filled[kind.Obj().Name()], strings.Join(path, "."))
}

// seldomNil are further maps that objects of a kind have in practice: what runs in each
// cluster fills them before an operator gets to see the object, or soon after.
var seldomNil = map[string][]string{
	"Node": {"ObjectMeta.Annotations"}, "Pod": {"ObjectMeta.Annotations"},
	"PersistentVolumeClaim": {"ObjectMeta.Annotations"}, "PersistentVolume": {"ObjectMeta.Annotations"},
	"Deployment": {"ObjectMeta.Labels"}, "StatefulSet": {"ObjectMeta.Labels"}, "DaemonSet": {"ObjectMeta.Labels"},
	"Job": {"ObjectMeta.Labels"}, "Endpoints": {"ObjectMeta.Labels", "ObjectMeta.Annotations"}, "EndpointSlice": {"ObjectMeta.Annotations"},
	"Event": {"ObjectMeta.Labels", "ObjectMeta.Annotations"}, "Lease": {"ObjectMeta.Labels", "ObjectMeta.Annotations"},
}

// IsSeldomNil reports whether practically all objects of a kind of Kubernetes' own have
// something in a map: one without was made on purpose.
func IsSeldomNil(kind *types.Named, path []string) bool {
	return kind != nil && kind.Obj().Pkg() != nil && strings.Contains(kind.Obj().Pkg().Path(), "k8s.io/api/") &&
		slices.Contains(seldomNil[kind.Obj().Name()], strings.Join(path, "."))
}

// MetadataMapOf recognises GetLabels and GetAnnotations of an object, and returns
// that and the path of the field.
func MetadataMapOf(common *ssa.CallCommon) (object ssa.Value, path []string, ok bool) {
	fn := Callee(common)
	if fn == nil || fn.Signature().Recv() == nil || fn.Signature().Params().Len() != 0 || !HasMethod(fn.Signature().Recv().Type(), "GetResourceVersion") {
		return nil, nil, false
	}
	recv, _ := Args(common)
	switch fn.Name() {
	case "GetLabels":
		return recv, PathOf(Labels), true
	case "GetAnnotations":
		return recv, PathOf(Annotations), true
	}
	return nil, nil, false
}

// CopiesEntries recognises the functions that copy the entries of one map into
// another, which must not be nil.
func CopiesEntries(common *ssa.CallCommon) (into, from ssa.Value, ok bool) {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil || len(common.Args) != 2 || fn.Name() != "Copy" || fn.Pkg().Path() != "maps" && fn.Pkg().Path() != "golang.org/x/exp/maps" {
		return nil, nil, false
	}
	return common.Args[0], common.Args[1], true
}

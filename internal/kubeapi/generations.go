package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// withoutGeneration are the kinds of k8s.io/api whose metadata.generation never
// changes, by group and name. It is raised by the strategy of a kind in the API
// server, in PrepareForUpdate (kubernetes/kubernetes, pkg/registry/<group>/<kind>/
// strategy.go: `new.Generation = old.Generation + 1`); the strategies of these
// kinds do not, in any release up to 1.35. Kinds whose strategies have begun to do so
// at some time (Pod, PodTemplate, CronJob, EndpointSlice …) are left out.
var withoutGeneration = map[string]bool{
	"core.ConfigMap": true, "core.Secret": true, "core.ServiceAccount": true, "core.Event": true, "core.Namespace": true, "core.Node": true,
	"core.Service": true, "core.Endpoints": true, "core.PersistentVolume": true, "core.PersistentVolumeClaim": true,
	"core.LimitRange": true, "core.ResourceQuota": true,
	"events.Event": true, "coordination.Lease": true,
	"rbac.Role": true, "rbac.RoleBinding": true, "rbac.ClusterRole": true, "rbac.ClusterRoleBinding": true,
	"storage.StorageClass": true,
}

// HasNoGeneration reports whether the metadata.generation of a kind, named by
// [KindID], stays as it is whatever is written.
func HasNoGeneration(kindID string) bool {
	rest, ok := strings.CutPrefix(kindID, "k8s.io/api/")
	if !ok {
		return false
	}
	group, versioned, ok := strings.Cut(rest, "/")
	_, name, dotted := strings.Cut(versioned, ".")
	return ok && dotted && withoutGeneration[group+"."+name]
}

// IsBuiltin reports whether a kind is one that Kubernetes serves itself.
func IsBuiltin(kindID string) bool { return strings.HasPrefix(kindID, "k8s.io/api/") }

// IsGeneration reports whether a value is the metadata.generation of an object.
func IsGeneration(v ssa.Value) bool {
	if call, ok := v.(*ssa.Call); ok {
		return isMetaGetter(Callee(call.Common()), "GetGeneration")
	}
	return isLoadedField(v, func(owner types.Type, name string) bool {
		return name == "Generation" && IsNamed(owner, metav1Path, "ObjectMeta")
	})
}

// IsObservedGeneration reports whether a value is the generation that a status or a condition
// says it is about.
func IsObservedGeneration(v ssa.Value) bool {
	return isLoadedField(v, func(owner types.Type, name string) bool {
		return name == "ObservedGeneration" && IsAPIStruct(owner)
	})
}

// isLoadedField reports whether a value is that of a field of a sort, by the struct that it
// belongs to and its name.
func isLoadedField(v ssa.Value, is func(owner types.Type, name string) bool) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		field, ok := v.X.(*ssa.FieldAddr)
		return ok && is(field.X.Type(), fieldName(field.X.Type(), field.Field))
	case *ssa.Field:
		return is(v.X.Type(), fieldName(v.X.Type(), v.Field))
	}
	return false
}

package kubeapi

import (
	"go/types"
	"slices"
	"strings"
)

// immutable are the fields that the API server refuses to change, or that an
// owner sets once: to set them only when the object is made is right. "" is the
// whole object.
var immutable = map[string][]string{
	"Deployment": {"Spec.Selector"}, "DaemonSet": {"Spec.Selector"}, "ReplicaSet": {"Spec.Selector"},
	"StatefulSet": {"Spec.Selector", "Spec.ServiceName", "Spec.PodManagementPolicy", "Spec.VolumeClaimTemplates"},
	"Job":         {"Spec"}, "Pod": {"Spec"}, "PersistentVolumeClaim": {"Spec"}, "PersistentVolume": {"Spec"}, "StorageClass": {""},
	"Service": {"Spec.ClusterIP", "Spec.ClusterIPs", "Spec.IPFamilies"}, "RoleBinding": {"RoleRef"}, "ClusterRoleBinding": {"RoleRef"},
	"Secret": {"Type", "Immutable"}, "ConfigMap": {"Immutable"}, "CSIDriver": {"Spec"}, "PriorityClass": {"Value"}, "RuntimeClass": {"Handler"}, "IngressClass": {"Spec.Controller"},
	"ControllerRevision": {"Data"}, "VolumeSnapshot": {"Spec"}, "Namespace": {"Spec"}, "CertificateSigningRequest": {"Spec"},
}

// IsImmutable reports whether a field of a kind is never changed once the object is
// there.
func IsImmutable(kind *types.Named, path []string) bool {
	if kind == nil {
		return false
	}
	joined := strings.Join(path, ".")
	return slices.ContainsFunc(immutable[kind.Obj().Name()], func(field string) bool {
		return field == "" || joined == field || strings.HasPrefix(joined, field+".")
	})
}

// kept are the kinds of Kubernetes' own that say what is to be, so that who makes one keeps it as
// it should be. Not among them are those that are made once: what runs to its end, what is
// claimed, and secrets, which are often drawn by lot.
var kept = map[string]bool{
	"Deployment": true, "StatefulSet": true, "DaemonSet": true, "CronJob": true, "Service": true, "Ingress": true, "NetworkPolicy": true,
	"ConfigMap": true, "Role": true, "ClusterRole": true, "RoleBinding": true, "ClusterRoleBinding": true,
	"HorizontalPodAutoscaler": true, "PodDisruptionBudget": true, "ResourceQuota": true, "LimitRange": true,
}

// IsKept reports whether a kind is one of Kubernetes' own that is kept as it should be.
func IsKept(kind *types.Named) bool { return kept[kind.Obj().Name()] && IsBuiltin(KindID(kind)) }

// conditional are the kinds of Kubernetes' own that refuse an update without a
// resourceVersion; all others of its own overwrite what is there.
var conditional = map[string]bool{
	"CustomResourceDefinition": true, "APIService": true, "Lease": true, "PodDisruptionBudget": true,
	"MutatingWebhookConfiguration": true, "ValidatingWebhookConfiguration": true, "ValidatingAdmissionPolicy": true, "ValidatingAdmissionPolicyBinding": true,
	"CSIDriver": true, "VolumeAttachment": true, "FlowSchema": true, "PriorityLevelConfiguration": true, "RuntimeClass": true,
}

// builtinAPIs are the modules with the types that Kubernetes itself serves.
var builtinAPIs = []string{"k8s.io/api/", "k8s.io/apiextensions-apiserver/", "k8s.io/kube-aggregator/"}

// UpdatesUnread reports whether an object of a kind can be updated without a
// resourceVersion. Custom resources cannot.
func UpdatesUnread(kind *types.Named) bool {
	return kind.Obj().Pkg() == nil || isBuiltinAPI(kind.Obj().Pkg().Path()) && !conditional[kind.Obj().Name()]
}

func isBuiltinAPI(path string) bool {
	return slices.ContainsFunc(builtinAPIs, func(prefix string) bool { return strings.Contains(path+"/", prefix) })
}

// IsEarlyVersion reports whether a kind is an alpha or beta version of one of Kubernetes' own, which
// API servers do not serve by default, or no longer.
func IsEarlyVersion(kind *types.Named) bool {
	if kind == nil || kind.Obj().Pkg() == nil {
		return false
	}
	path := kind.Obj().Pkg().Path()
	version := path[strings.LastIndexByte(path, '/')+1:]
	return isBuiltinAPI(path) && (strings.Contains(version, "alpha") || strings.Contains(version, "beta"))
}

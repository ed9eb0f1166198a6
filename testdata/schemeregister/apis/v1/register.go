package v1

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	SchemeGroupVersion = schema.GroupVersion{Group: "store.example.com", Version: "v1"}
	localBuilder       = runtime.NewSchemeBuilder(addKnownTypes)
	AddToScheme        = localBuilder.AddToScheme
)

// Its own types, one of another group that a subresource uses, and one that all
// groups have.
func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Backup{}, &autoscalingv1.Scale{}, &metav1.Status{})
	scheme.AddKnownTypeWithName(SchemeGroupVersion.WithKind("Copy"), &Backup{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}

// For the API server's own use all versions share a type.
func AddInternal(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(schema.GroupVersion{Group: SchemeGroupVersion.Group, Version: runtime.APIVersionInternal}, &Backup{})
	return nil
}

// The group once had another name.
func AddOldGroup(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(schema.GroupVersion{Group: "old.example.com", Version: "v1"}, &Backup{})
	return nil
}

// Package v1alpha1 holds the API types of the demo operator.
//
// +kubebuilder:object:generate=true
// +groupName=cache.demo.opvet.dev
package v1alpha1

//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object paths=.

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "cache.demo.opvet.dev", Version: "v1alpha1"}

// AddToScheme adds the kinds in this package to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&Cache{}, &CacheList{},
		&CacheBackup{}, &CacheBackupList{},
		&CacheUser{}, &CacheUserList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

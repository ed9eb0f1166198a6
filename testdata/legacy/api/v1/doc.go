// Package v1 holds the API types that the test packages for the older client
// libraries share.
//
// +kubebuilder:object:generate=true
// +groupName=example.opvet.dev
package v1

//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object paths=.

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	// GroupVersion is the group and version of all kinds here.
	GroupVersion = schema.GroupVersion{Group: "example.opvet.dev", Version: "v1"}

	// SchemeBuilder registers the kinds.
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}

	// AddToScheme adds the kinds to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func init() {
	SchemeBuilder.Register(&Backup{}, &BackupList{}, &Schedule{}, &ScheduleList{})
}

// Package v1 holds the API types that the test packages share: one kind for
// each way in which a kind can be, or not be, known to have the status
// subresource.
//
// +kubebuilder:object:generate=true
// +groupName=example.opvet.dev
package v1

//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object paths=.

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of all kinds here.
var GroupVersion = schema.GroupVersion{Group: "example.opvet.dev", Version: "v1"}

// AddToScheme adds the kinds to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&Backup{}, &BackupList{},
		&Schedule{}, &ScheduleList{},
		&Cluster{}, &ClusterList{},
		&NodeReport{}, &NodeReportList{},
		&Settings{}, &SettingsList{},
		&Mirror{}, &MirrorList{},
		&Archive{}, &ArchiveList{},
		&Claim{}, &ClaimList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

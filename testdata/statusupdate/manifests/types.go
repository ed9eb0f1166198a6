// Package manifests has kinds whose CRD manifests, in the folder crds, say
// something else than their markers. The expectations hold where the analyzer
// is told of that folder: what the API server was given counts.
//
// +kubebuilder:object:generate=true
// +groupName=manifests.opvet.dev
package manifests

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// State is the status of all kinds here.
type State struct {
	Phase string `json:"phase,omitempty"`
}

// Snapshot has the marker, but is shipped with `subresources: {}`.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Snapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status State `json:"status,omitempty"`
}

// Volume lacks the marker, but is shipped with the subresource.
//
// +kubebuilder:object:root=true
type Volume struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status State `json:"status,omitempty"`
}

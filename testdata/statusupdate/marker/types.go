// Package marker has the cases of statusupdate/subresource-marker: kinds that
// are declared where their status is written.
//
// +kubebuilder:object:generate=true
package marker

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// State is the status of all kinds here.
type State struct {
	Ready bool `json:"ready,omitempty"`
}

// Gadget lacks the marker.
//
// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:name="Ready",type=boolean,JSONPath=`.status.ready`
type Gadget struct { // want `\(statusupdate/subresource-marker\)`
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status State `json:"status,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster

// Gizmo lacks the marker, too; its status is written by a helper.
type Gizmo struct { // want `\(statusupdate/subresource-marker\)`
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status *State `json:"status,omitempty"`
}

// Widget has the marker.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status State `json:"status,omitempty"`
}

// Ledger is without the subresource on purpose: Update stores its status.
//
// +kubebuilder:object:root=true
type Ledger struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status State `json:"status,omitempty"`
}

// Plain is of a generator that knows no kubebuilder markers.
//
// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Plain struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status State `json:"status,omitempty"`
}

// Part is not served by itself.
type Part struct {
	Name   string `json:"name"`
	Status State  `json:"status,omitempty"`
}

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Conditioned is an object with conditions in its status.
//
// +kubebuilder:object:generate=false
type Conditioned interface {
	metav1.Object
	runtime.Object

	GetConditions() []metav1.Condition
	SetConditions(conditions []metav1.Condition)
}

// Bound is a claim or what it claims: code for several kinds sees them so.
//
// +kubebuilder:object:generate=false
type Bound interface {
	Conditioned

	SetBindingPhase(phase string)
	SetClaimReference(name string)
}

// ClaimSpec is what a user asks for.
type ClaimSpec struct {
	Class    string `json:"class"`
	BackupOf string `json:"backupOf,omitempty"`
}

// ClaimStatus is what the controller found.
type ClaimStatus struct {
	BindingPhase string             `json:"bindingPhase,omitempty"`
	Conditions   []metav1.Condition `json:"conditions,omitempty"`
}

// Claim is the only kind here that implements Bound.
//
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Claim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ClaimSpec   `json:"spec,omitempty"`
	Status ClaimStatus `json:"status,omitempty"`
}

var _ Bound = (*Claim)(nil)

// GetConditions returns the conditions.
func (c *Claim) GetConditions() []metav1.Condition { return c.Status.Conditions }

// SetConditions replaces the conditions.
func (c *Claim) SetConditions(conditions []metav1.Condition) { c.Status.Conditions = conditions }

// SetBindingPhase records whether the claim is bound; it is part of the status.
func (c *Claim) SetBindingPhase(phase string) { c.Status.BindingPhase = phase }

// SetClaimReference names the other side; it is part of the spec.
func (c *Claim) SetClaimReference(name string) { c.Spec.BackupOf = name }

// ClaimList is a list of claims.
//
// +kubebuilder:object:root=true
type ClaimList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Claim `json:"items"`
}

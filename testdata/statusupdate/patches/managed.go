package patches

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Member has its conditions managed.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Member struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            MemberStatus `json:"status"`
}

// MemberStatus is what was seen.
type MemberStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// DeepCopy copies a Member.
func (m *Member) DeepCopy() *Member {
	out := *m
	m.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (m *Member) DeepCopyObject() runtime.Object { return m.DeepCopy() }

// conditionSet sets the conditions of what it was made for.
type conditionSet interface {
	Get(kind string) *metav1.Condition
	SetTrue(kind string)
}

// newConditionSet is another library's.
var newConditionSet func(of *Member) conditionSet

// Conditions manages the conditions.
func (m *Member) Conditions() conditionSet { return newConditionSet(m) }

// Manage is called by a library with what it has read.
func (r *reconciler) Manage(ctx context.Context, m *Member) error {
	base := m.DeepCopy()
	if ready := m.Conditions().Get("Ready"); ready == nil {
		m.Conditions().SetTrue("Ready")
	}
	return r.Status().Patch(ctx, m, client.MergeFrom(base))
}

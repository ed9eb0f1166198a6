// Package served has a kind without a CRD beside one that has one: nothing is known of its
// subresources.
package served

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// State is the status of all kinds here.
type State struct {
	Phase string `json:"phase"`
}

// Plan has a CRD in the project.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Plan struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            State `json:"status"`
}

// Task has none: a server of the project's own has it.
//
// +kubebuilder:object:root=true
type Task struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            State `json:"status"`
}

// DeepCopyObject implements runtime.Object.
func (p *Plan) DeepCopyObject() runtime.Object {
	out := *p
	p.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (t *Task) DeepCopyObject() runtime.Object {
	out := *t
	t.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func plan(ctx context.Context, c client.Client, p *Plan) error {
	p.Status.Phase = "Open"
	return c.Status().Update(ctx, p)
}

func task(ctx context.Context, c client.Client, t *Task) error {
	t.Status.Phase = "Open"
	return c.Status().Update(ctx, t)
}

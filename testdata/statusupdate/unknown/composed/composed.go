// Package composed has a kind whose CRD is not made of its markers.
package composed

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

// Instance is a claim of Crossplane, which makes its CRD.
//
// +kubebuilder:object:root=true
type Instance struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              InstanceSpec `json:"spec"`
	Status            State        `json:"status"`
}

// InstanceSpec has a field that Crossplane knows.
type InstanceSpec struct {
	Size           int               `json:"size"`
	CompositionRef map[string]string `json:"compositionRef,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (i *Instance) DeepCopyObject() runtime.Object {
	out := *i
	i.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func instance(ctx context.Context, c client.Client, i *Instance) error {
	i.Status.Phase = "Open"
	return c.Status().Update(ctx, i)
}

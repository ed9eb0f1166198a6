// Package mirror has a copy of a kind that another project serves: no CRD is generated from it.
package mirror

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Keeper keeps what refers to it.
//
// +kubebuilder:object:root=true
type Keeper struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// DeepCopyObject copies.
func (k *Keeper) DeepCopyObject() runtime.Object {
	out := *k
	k.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

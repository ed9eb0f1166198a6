// Package schemaonly has a kind with kubebuilder markers for its schema only:
// the CRD is kept by hand, and the lack of a subresource marker says nothing.
package schemaonly

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Request is stored at this version.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
type Request struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status RequestStatus `json:"status,omitempty"`
}

type RequestStatus struct {
	Data string `json:"data,omitempty"`
}

func (r *Request) DeepCopy() *Request {
	out := &Request{TypeMeta: r.TypeMeta, Status: r.Status}
	r.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

func (r *Request) DeepCopyObject() runtime.Object { return r.DeepCopy() }

func resolved(ctx context.Context, c client.Client, r *Request, data string) error {
	r.Status.Data = data
	return c.Status().Update(ctx, r)
}

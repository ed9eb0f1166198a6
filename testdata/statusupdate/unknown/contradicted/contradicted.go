// Package contradicted has a kind whose marker asks for a subresource that its installed
// definition does not have: Create and Update store the status.
package contradicted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Dossier is told to have a status subresource.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Dossier struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            DossierStatus `json:"status"`
}

// DossierStatus is what was seen.
type DossierStatus struct {
	Phase string `json:"phase"`
}

// DeepCopyObject implements runtime.Object.
func (d *Dossier) DeepCopyObject() runtime.Object {
	out := *d
	d.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func open(ctx context.Context, c client.Client, name string) error {
	a := &Dossier{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: DossierStatus{Phase: "Open"}}
	return c.Create(ctx, a)
}

func seal(ctx context.Context, c client.Client, key client.ObjectKey) error {
	a := &Dossier{}
	if err := c.Get(ctx, key, a); err != nil {
		return err
	}
	a.Status.Phase = "Sealed"
	return c.Update(ctx, a)
}

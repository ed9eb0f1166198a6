// Package defined has a kind without markers, whose definition in the project has no
// subresource: Update stores the status, and the one write of it is what fails.
package defined

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Ledger has no status subresource.
//
// +genclient
// +genclient:noStatus
type Ledger struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            LedgerStatus `json:"status"`
}

// LedgerStatus is what was seen.
type LedgerStatus struct {
	Phase string `json:"phase"`
}

// DeepCopyObject implements runtime.Object.
func (l *Ledger) DeepCopyObject() runtime.Object {
	out := *l
	l.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func seal(ctx context.Context, c client.Client, l *Ledger) error {
	l.Status.Phase = "Sealed"
	return c.Update(ctx, l)
}

func open(ctx context.Context, c client.Client, l *Ledger) error {
	l.Status.Phase = "Open"
	return c.Status().Update(ctx, l) // want `this write always fails with 404 NotFound: Ledger has no status subresource; use Update.*\(statusupdate/no-subresource\)`
}

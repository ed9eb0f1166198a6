// Package quiet changes the status of a kind of which nobody knows whether its
// status is a subresource, and nothing that it sees writes to the endpoint.
package quiet

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func update(ctx context.Context, c client.Client, a *v1.Archive) error {
	a.Status.Phase = "Sealed"
	return c.Update(ctx, a)
}

func create(ctx context.Context, c client.Client, name string) error {
	return c.Create(ctx, &v1.Archive{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     v1.ArchiveStatus{Phase: "New"},
	})
}

// Generators give UpdateStatus to every kind with a status: having it proves
// nothing, calling it would.
func typed(ctx context.Context, archives exampleclient.ArchiveInterface, a *v1.Archive) error {
	a = a.DeepCopy()
	a.Status.Phase = "Sealed"
	_, err := archives.Update(ctx, a, metav1.UpdateOptions{})
	return err
}

func patch(ctx context.Context, c client.Client, a *v1.Archive) error {
	base := a.DeepCopy()
	a.Status.Phase = "Sealed"
	return c.Patch(ctx, a, client.MergeFrom(base))
}

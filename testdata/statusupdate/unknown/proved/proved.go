// Package proved writes the status of an unknown kind through the status
// endpoint in one place: so the other places are wrong.
package proved

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func evidence(ctx context.Context, archives exampleclient.ArchiveInterface, a *v1.Archive) error {
	a.Status.Phase = "Open"
	_, err := archives.UpdateStatus(ctx, a, metav1.UpdateOptions{})
	return err
}

func update(ctx context.Context, c client.Client, a *v1.Archive) error {
	a.Status.Phase = "Sealed"
	return c.Update(ctx, a) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func typed(ctx context.Context, archives exampleclient.ArchiveInterface, a *v1.Archive) error {
	a = a.DeepCopy()
	a.Status.Phase = "Sealed"
	_, err := archives.Update(ctx, a, metav1.UpdateOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

// Package exported has what other packages call, with a name of theirs.
package exported

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Release keeps the finalizer of a Backup that has no replicas.
func Release(ctx context.Context, c client.Client, b *v1.Backup, name string) error {
	if b.GetDeletionTimestamp() == nil || !controllerutil.ContainsFinalizer(b, name) {
		return nil
	}
	if b.Spec.Replicas != nil {
		controllerutil.RemoveFinalizer(b, name) // want `if Spec\.Replicas says otherwise at deletion \(line \d+\), the Backup stays Terminating.*\(finalizerremoval/gated\)`
		return c.Update(ctx, b)
	}
	return nil
}

// ReleaseAny makes only the clean-up depend on it.
func ReleaseAny(ctx context.Context, c client.Client, s *v1.Cluster, name string) error {
	if s.GetDeletionTimestamp() == nil || !controllerutil.ContainsFinalizer(s, name) {
		return nil
	}
	if s.Spec.Paused {
		if err := c.DeleteAllOf(ctx, &v1.Backup{}, client.InNamespace(s.Namespace)); err != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(s, name)
	return c.Update(ctx, s)
}

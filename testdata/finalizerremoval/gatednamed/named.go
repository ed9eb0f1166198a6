// Package gatednamed has removals that depend on the spec in functions which get the finalizer's name.
package gatednamed

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const finalizer = "example.opvet.dev/named"

func reconcile(ctx context.Context, c client.Client, b *v1.Backup) error {
	return release(ctx, c, b, finalizer)
}

func release(ctx context.Context, c client.Client, b *v1.Backup, name string) error {
	if b.GetDeletionTimestamp() != nil {
		if controllerutil.ContainsFinalizer(b, name) {
			if b.Spec.Replicas != nil {
				if err := c.DeleteAllOf(ctx, &v1.Cluster{}, client.InNamespace(b.Namespace)); err != nil {
					return err
				}
				controllerutil.RemoveFinalizer(b, name) // want `if Spec\.Replicas says otherwise at deletion \(line \d+\), the Backup stays Terminating.*\(finalizerremoval/gated\)`
				if err := c.Update(ctx, b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

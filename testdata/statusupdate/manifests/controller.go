package manifests

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) snapshot(ctx context.Context, s *Snapshot) error {
	s.Status.Phase = "Ready"
	return r.Update(ctx, s)
}

func (r *reconciler) snapshotStatus(ctx context.Context, s *Snapshot) error {
	s.Status.Phase = "Ready"
	return r.Status().Update(ctx, s) // want `Snapshot.*\(statusupdate/no-subresource\)`
}

func (r *reconciler) volume(ctx context.Context, v *Volume) error {
	v.Status.Phase = "Ready"
	return r.Update(ctx, v) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) volumeStatus(ctx context.Context, v *Volume) error {
	v.Status.Phase = "Ready"
	return r.Status().Update(ctx, v)
}

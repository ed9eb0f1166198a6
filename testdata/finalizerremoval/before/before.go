// Package before has the cases of finalizerremoval/before-cleanup: the removal
// is stored, and then the clean-up tried.
package before

import (
	"context"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerremoval/before/marks"
)

type reconciler struct {
	client.Client
	devices interface {
		Delete(ctx context.Context, name string) error
		ForceDelete(ctx context.Context, name string) error
	}
	metrics interface{ Delete(name string) bool }
}

func (r *reconciler) updateFirst(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil { // want `if Delete on line \d+ fails, what it cleans up leaks: the finalizer is gone and nobody tries again.*\(finalizerremoval/before-cleanup\)`
		return err
	}
	return r.devices.Delete(ctx, b.Name)
}

func (r *reconciler) rawPatchFirst(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	data, err := json.Marshal(map[string]interface{}{
		"metadata": map[string]interface{}{
			"finalizers": []string{},
		},
	})
	if err != nil {
		return err
	}
	if err := r.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)); err != nil { // want `\(finalizerremoval/before-cleanup\)` `\(finalizerremoval/strips-foreign\)`
		return err
	}
	if err := r.devices.Delete(ctx, b.Name); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// What follows is right.

func (r *reconciler) cleanupFirst(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.devices.Delete(ctx, b.Name); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return r.devices.Delete(ctx, b.Name+".lock")
}

// By force first, and what is left is cleaned up in the ordinary way.
func (r *reconciler) byForceFirst(ctx context.Context, b *v1.Backup, force bool) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if force {
		if err := r.devices.ForceDelete(ctx, b.Name); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	return r.devices.Delete(ctx, b.Name)
}

func (r *reconciler) onlyMetrics(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	r.metrics.Delete(b.Name)
	return nil
}

func (r *reconciler) oneFinalizerAfterTheOther(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, "example.opvet.dev/index")
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	if err := r.devices.Delete(ctx, b.Name); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) aChildThatIsDeletedThen(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(c, v1.Finalizer)
	if err := r.Update(ctx, c); err != nil {
		return err
	}
	return r.Delete(ctx, c)
}

func (r *reconciler) switchedOffOnALiveObject(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return r.devices.Delete(ctx, b.Name)
}

// The finalizer comes off where nothing is cleaned up: the source decides both.
func (r *reconciler) oneOfBoth(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if b.Spec.Source == "" {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	if b.Spec.Source != "" {
		return r.devices.Delete(ctx, b.Spec.Source)
	}
	return nil
}

// Another package's helper that takes it off decides nothing else.
func (r *reconciler) oneOfBothElsewhere(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if b.Spec.Source == "" {
		marks.Release(b)
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	if b.Spec.Source != "" {
		return r.devices.Delete(ctx, b.Spec.Source)
	}
	return nil
}

func (r *reconciler) bothElsewhere(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if b.Spec.Source != "remote" {
		marks.Release(b)
		if err := r.Update(ctx, b); err != nil { // want `\(finalizerremoval/before-cleanup\)`
			return err
		}
	}
	if b.Spec.Source != "" {
		return r.devices.Delete(ctx, b.Spec.Source)
	}
	return nil
}

// What is deleted is the object itself, which nothing holds any more.
func (r *reconciler) itself(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	return r.deleteBackup(ctx, b)
}

func (r *reconciler) deleteBackup(ctx context.Context, b *v1.Backup) error {
	return client.IgnoreNotFound(r.Delete(ctx, b))
}

// What else is deleted is left behind.
func (r *reconciler) withDevice(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil { // want `\(finalizerremoval/before-cleanup\)`
		return err
	}
	return r.deleteWithDevice(ctx, b)
}

func (r *reconciler) deleteWithDevice(ctx context.Context, b *v1.Backup) error {
	if err := r.devices.Delete(ctx, b.Name); err != nil {
		return err
	}
	return client.IgnoreNotFound(r.Delete(ctx, b))
}

// That is not so where it is another one.
func (r *reconciler) both(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if b.Spec.Source != "remote" {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		if err := r.Update(ctx, b); err != nil { // want `\(finalizerremoval/before-cleanup\)`
			return err
		}
	}
	if b.Spec.Source != "" {
		return r.devices.Delete(ctx, b.Spec.Source)
	}
	return nil
}

package before

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What is cleaned up by the key of the request belongs to the object.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil { // want `leak: if Delete on line \d+ fails`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.devices.Delete(ctx, req.Name)
}

// In a struct that is made of the object.
func (r *reconciler) inAStruct(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil { // want `before-cleanup`
		return err
	}
	s := scope{r: r, backup: b}
	return s.deleteData(ctx)
}

type scope struct {
	r      *reconciler
	backup *v1.Backup
}

func (s scope) deleteData(ctx context.Context) error { return s.r.devices.Delete(ctx, s.backup.Name) }

// The caller has computed the name from the object.
func (r *reconciler) byItsName(ctx context.Context, b *v1.Backup, name string) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil { // want `before-cleanup`
		return err
	}
	return r.devices.Delete(ctx, name)
}

// What follows is right.

// The next round is about another object.
func (r *reconciler) aLoop(ctx context.Context, list *v1.BackupList) error {
	for i := range list.Items {
		b := &list.Items[i]
		if !b.DeletionTimestamp.IsZero() && b.Spec.Paused {
			controllerutil.RemoveFinalizer(b, v1.Finalizer)
			if err := r.Update(ctx, b); err != nil {
				return err
			}
			continue
		}
		if err := r.devices.Delete(ctx, b.Name); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) aLoopOverPointers(ctx context.Context, backups []*v1.Backup) error {
	for _, b := range backups {
		if !b.DeletionTimestamp.IsZero() {
			controllerutil.RemoveFinalizer(b, v1.Finalizer)
			if err := r.Update(ctx, b); err != nil {
				return err
			}
			continue
		}
		if err := r.devices.Delete(ctx, b.Name); err != nil {
			return err
		}
	}
	return nil
}

// Something else is cleaned up after that.
func (r *reconciler) anotherObject(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	if err := r.devices.Delete(ctx, c.Name); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

func (r *reconciler) ofTheController(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return r.devices.Delete(ctx, "unused")
}

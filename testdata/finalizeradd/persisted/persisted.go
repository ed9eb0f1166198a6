// Package persisted has finalizers that are added in memory.
package persisted

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizeradd/helpers"
)

type reconciler struct{ client.Client }

// Mistakes.

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, helpers.Release(ctx, r.Client, b)
	}
	controllerutil.AddFinalizer(b, v1.Finalizer) // want `the Backup can be deleted without clean-up: the return on line \d+ does not store this finalizer.*\(finalizeradd/not-persisted\)`
	return ctrl.Result{}, nil
}

func (r *reconciler) onOnePath(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	controllerutil.AddFinalizer(b, v1.Finalizer) // want `not-persisted`
	if b.Spec.Paused {
		return nil
	}
	return r.Update(ctx, b)
}

func (r *reconciler) byHelper(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	helpers.Add(b, v1.Finalizer) // want `the Backup can be deleted without clean-up: the return on line \d+ does not store this finalizer.*\(finalizeradd/not-persisted\)`
	return nil
}

func (r *reconciler) byHand(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Finalizers = append(b.Finalizers, v1.Finalizer) // want `not-persisted`
	return nil
}

// Traps.

func (r *reconciler) ifChanged(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if controllerutil.AddFinalizer(b, v1.Finalizer) { // want `while-deleting`
		return r.Update(ctx, b)
	}
	return nil
}

func (r *reconciler) byFlag(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	changed := false
	if !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		controllerutil.AddFinalizer(b, v1.Finalizer) // want `while-deleting`
		changed = true
	}
	if b.Labels == nil {
		b.Labels = map[string]string{"app": "backup"}
		changed = true
	}
	if changed {
		return r.Update(ctx, b)
	}
	return nil
}

// onCopy keeps nil where there is nothing to store.
func (r *reconciler) onCopy(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	var marked *v1.Backup
	if !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		marked = b.DeepCopy()
		marked.Finalizers = append(marked.Finalizers, v1.Finalizer) // want `while-deleting`
	}
	if marked != nil {
		return r.Update(ctx, marked)
	}
	return nil
}

// onCopyByHelper is the same with the helper of controller-runtime.
func (r *reconciler) onCopyByHelper(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	var marked *v1.Backup
	if !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		marked = b.DeepCopy()
		controllerutil.AddFinalizer(marked, v1.Finalizer) // want `while-deleting`
	}
	if marked == nil {
		return nil
	}
	return r.Patch(ctx, marked, client.MergeFrom(b))
}

func (r *reconciler) deferred(ctx context.Context, key client.ObjectKey) (err error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	before := b.DeepCopy()
	defer func() {
		if e := r.Patch(ctx, b, client.MergeFrom(before)); e != nil && err == nil {
			err = e
		}
	}()
	controllerutil.AddFinalizer(b, v1.Finalizer) // want `while-deleting`
	return nil
}

func (r *reconciler) returned(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return nil, err
	}
	controllerutil.AddFinalizer(b, v1.Finalizer) // want `while-deleting`
	return b, nil
}

func (r *reconciler) inScope(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	s := newScope(r.Client, b)
	defer s.close(ctx)
	controllerutil.AddFinalizer(b, v1.Finalizer) // want `while-deleting`
	return nil
}

type scope struct {
	client client.Client
	backup *v1.Backup
}

func newScope(c client.Client, b *v1.Backup) *scope { return &scope{c, b} }

func (s *scope) close(ctx context.Context) {
	if err := s.client.Update(ctx, s.backup); err != nil {
		panic(err)
	}
}

func (r *reconciler) byParameter(b *v1.Backup) { controllerutil.AddFinalizer(b, v1.Finalizer) }

func (r *reconciler) onError(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	r.byParameter(b) // want `while-deleting`
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return nil
}

func (r *reconciler) encoded(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	controllerutil.AddFinalizer(b, v1.Finalizer) // want `while-deleting`
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	target := &v1.Backup{}
	target.Name, target.Namespace = key.Name, key.Namespace
	return r.Patch(ctx, target, client.RawPatch(types.ApplyPatchType, data))
}

// statusOnly is statusupdate's business.
func (r *reconciler) statusOnly(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	controllerutil.AddFinalizer(b, v1.Finalizer) // want `while-deleting`
	return r.Status().Update(ctx, b)
}

package persisted

import (
	"context"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `the Backup stays Terminating: nothing stores this removal; Update or Patch it after \(finalizerremoval/not-persisted\)`
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.tryCleanup(ctx, b)
}

func (r *reconciler) statusOnly(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `the Backup stays Terminating: line \d+ stores its status only, not that the finalizer is gone.*\(finalizerremoval/not-persisted\)`
	b.Status.Message = "deleted"
	return r.Status().Update(ctx, b)
}

func (r *reconciler) onOnePath(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.Finalizers = slices.DeleteFunc(b.Finalizers, func(f string) bool { return f == v1.Finalizer }) // want `\(finalizerremoval/not-persisted\)`
	if b.Spec.Source == "" {
		return nil
	}
	return r.Update(ctx, b)
}

// What the literal notes is something else.
func (r *reconciler) onOtherPath(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	others := true
	b.Finalizers = slices.DeleteFunc(b.Finalizers, func(f string) bool { // want `\(finalizerremoval/not-persisted\)`
		others = f != v1.Finalizer
		return f == v1.Finalizer
	})
	if others {
		return nil
	}
	return r.Update(ctx, b)
}

func (r *reconciler) typedClient(ctx context.Context, namespace, name string) error {
	b, err := r.backups.ExampleV1().Backups(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	remove(b) // want `\(finalizerremoval/not-persisted\)`
	_, err = r.backups.ExampleV1().Backups(namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return err
}

func (r *reconciler) afterASelection(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	if err := r.DeleteAllOf(ctx, &v1.Cluster{}, client.InNamespace(b.Namespace)); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `\(finalizerremoval/not-persisted\)`
	return nil
}

func (r *reconciler) storesLiveObjectsOnly(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.tryCleanup(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if b.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	b.Labels = map[string]string{"seen": "true"}
	return ctrl.Result{}, r.Update(ctx, b)
}

// tryCleanup is called by functions that do not store the object either.
func (r *reconciler) tryCleanup(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp == nil {
		return nil
	}
	if b.Status.Targets == nil {
		remove(b) // want `\(finalizerremoval/not-persisted\)`
		return nil
	}
	go r.runCleanup(ctx, b)
	return nil
}

func (r *reconciler) runCleanup(ctx context.Context, b *v1.Backup) {
	defer func() { <-r.limit }()
	finalizers := []string{}
	err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, &v1.Cluster{})
	if err != nil && !apierrors.IsNotFound(err) {
		return
	} else if apierrors.IsNotFound(err) {
		b.SetFinalizers(finalizers) // want `\(finalizerremoval/not-persisted\)`
		return
	}
	for _, f := range b.GetFinalizers() {
		if f != v1.Finalizer {
			finalizers = append(finalizers, f)
		}
	}
	b.SetFinalizers(finalizers)
	_ = r.Update(ctx, b)
}

// What is compared is the status, which a removal does not change.
func (r *reconciler) whereTheStatusDiffers(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `the Backup stays Terminating: nothing stores this removal before the return on line \d+.*\(finalizerremoval/not-persisted\)`
	if reflect.DeepEqual(before.Status, b.Status) {
		return nil
	}
	return r.Update(ctx, b)
}

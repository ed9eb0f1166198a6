// Package missing deletes Jobs that have just been found missing.
package missing

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct {
	client.Client
	kube kubernetes.Interface
}

// The helper is only called where there is no Job.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var run batchv1.Job
	err := r.Get(ctx, req.NamespacedName, &run)
	switch {
	case err == nil:
		return ctrl.Result{}, nil
	case apierrors.IsNotFound(err):
		return ctrl.Result{}, r.start(ctx, req)
	default:
		return ctrl.Result{}, err
	}
}

func (r *reconciler) start(ctx context.Context, req ctrl.Request) error {
	run := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}}
	if err := r.Get(ctx, client.ObjectKeyFromObject(run), run); err == nil {
		return r.Delete(ctx, run) // want `hygiene: the pods of the deleted Job stay`
	}
	return r.Create(ctx, run)
}

// A typed client says so.
func (r *reconciler) typed(ctx context.Context, ns, name string) error {
	_, err := r.kube.BatchV1().Jobs(ns).Get(ctx, name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	return r.kube.BatchV1().Jobs(ns).Delete(ctx, name, metav1.DeleteOptions{}) // want `hygiene: the pods of the deleted Job stay`
}

// Mistakes: it is another object that is missing.
func (r *reconciler) cancel(ctx context.Context, run *batchv1.Job) error {
	var config corev1.ConfigMap
	if err := r.Get(ctx, client.ObjectKeyFromObject(run), &config); apierrors.IsNotFound(err) {
		return r.Delete(ctx, run) // want `leak: the pods of the deleted Job stay`
	}
	return nil
}

// It turns out to be there.
func (r *reconciler) replace(ctx context.Context, run *batchv1.Job) error {
	var old batchv1.Job
	if err := r.Get(ctx, client.ObjectKeyFromObject(run), &old); !apierrors.IsNotFound(err) {
		return err
	}
	if err := r.Create(ctx, run); apierrors.IsAlreadyExists(err) {
		return r.Delete(ctx, run) // want `leak: the pods of the deleted Job stay`
	}
	return nil
}

// One of the callers has seen it.
func (r *reconciler) rerun(ctx context.Context, run *batchv1.Job) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(run), run); apierrors.IsNotFound(err) {
		return r.drop(ctx, run)
	}
	if run.Status.Failed > 0 {
		return r.drop(ctx, run)
	}
	return nil
}

func (r *reconciler) drop(ctx context.Context, run *batchv1.Job) error {
	return r.Delete(ctx, run) // want `leak: the pods of the deleted Job stay`
}

// It is there where nothing says that it is missing.
func (r *reconciler) outdated(ctx context.Context, run *batchv1.Job) error {
	err := r.Get(ctx, client.ObjectKeyFromObject(run), run)
	if apierrors.IsNotFound(err) {
		return r.Create(ctx, run)
	}
	if err != nil {
		return err
	}
	return r.Delete(ctx, run) // want `leak: the pods of the deleted Job stay`
}

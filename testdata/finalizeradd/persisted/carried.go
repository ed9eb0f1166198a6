package persisted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizeradd/helpers"
)

// carriedOn has the list applied in an object with nothing else in it.
func (r *reconciler) carriedOn(ctx context.Context, key client.ObjectKey) error {
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, key, latest); err != nil {
			return err
		}
		controllerutil.AddFinalizer(latest, v1.Finalizer) // want `while-deleting`
		applied := &v1.Backup{
			ObjectMeta: metav1.ObjectMeta{Name: latest.Name, Namespace: latest.Namespace, Finalizers: latest.Finalizers},
		}
		return helpers.ApplyDiff(ctx, r.Client, applied)
	}); err != nil {
		return err
	}
	return nil
}

// notCarriedOn applies labels only.
func (r *reconciler) notCarriedOn(ctx context.Context, key client.ObjectKey) error {
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, key, latest); err != nil {
			return err
		}
		controllerutil.AddFinalizer(latest, v1.Finalizer) // want `not-persisted`
		applied := &v1.Backup{
			ObjectMeta: metav1.ObjectMeta{Name: latest.Name, Namespace: latest.Namespace, Labels: latest.Labels},
		}
		return helpers.ApplyDiff(ctx, r.Client, applied)
	}); err != nil {
		return err
	}
	return nil
}

// carriedOnTooEarly has the list in another object, which nothing is done with when it is complete.
func (r *reconciler) carriedOnTooEarly(ctx context.Context, key client.ObjectKey) error {
	latest := &v1.Backup{}
	if err := r.Get(ctx, key, latest); err != nil {
		return err
	}
	applied := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: latest.Name, Namespace: latest.Namespace}}
	if err := helpers.ApplyDiff(ctx, r.Client, applied); err != nil {
		return err
	}
	controllerutil.AddFinalizer(latest, v1.Finalizer) // want `not-persisted`
	applied.Finalizers = latest.Finalizers
	return nil
}

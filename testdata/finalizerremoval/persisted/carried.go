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

// carriedOn has the list that is left applied in an object with nothing else in it.
func (r *reconciler) carriedOn(ctx context.Context, key client.ObjectKey) error {
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, key, latest); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(latest, v1.Finalizer)
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
		controllerutil.RemoveFinalizer(latest, v1.Finalizer) // want `\(finalizerremoval/not-persisted\)`
		applied := &v1.Backup{
			ObjectMeta: metav1.ObjectMeta{Name: latest.Name, Namespace: latest.Namespace, Labels: latest.Labels},
		}
		return helpers.ApplyDiff(ctx, r.Client, applied)
	}); err != nil {
		return err
	}
	return nil
}

// made copies the list into an object that is created.
func (r *reconciler) made(ctx context.Context, key client.ObjectKey) error {
	latest := &v1.Backup{}
	if err := r.Get(ctx, key, latest); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(latest, v1.Finalizer) // want `\(finalizerremoval/not-persisted\)`
	created := &v1.Backup{
		ObjectMeta: metav1.ObjectMeta{GenerateName: latest.Name, Namespace: latest.Namespace, Finalizers: latest.Finalizers},
	}
	if err := r.Create(ctx, created); err != nil {
		return err
	}
	return nil
}

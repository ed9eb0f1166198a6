package before

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Right: what has failed is tried again where the object is found to be gone.
type again struct {
	client.Client
	routes interface {
		DeleteNamedRoute(ctx context.Context, name string) error
		DeleteRoute(ctx context.Context, b *v1.Backup) error
	}
}

func (r *again) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, r.routes.DeleteNamedRoute(ctx, req.Name)
		}
		return ctrl.Result{}, err
	}
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.delete(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *again) delete(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return r.routes.DeleteRoute(ctx, b)
}

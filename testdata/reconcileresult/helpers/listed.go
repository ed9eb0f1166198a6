package helpers

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Steps stand in a list, and one of them returns what another function does.
type listed struct{ client.Client }

type step struct {
	name string
	run  func(ctx context.Context, b *v1.Backup) (bool, error)
}

func (r *listed) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	for _, s := range []step{{"status", r.status}} {
		if again, err := s.run(ctx, b); err != nil || again {
			return ctrl.Result{Requeue: again}, err
		}
	}
	return ctrl.Result{}, nil
}

func (r *listed) status(ctx context.Context, b *v1.Backup) (bool, error) {
	return r.updateStatus(ctx, b)
}

func (r *listed) updateStatus(ctx context.Context, b *v1.Backup) (requeue bool, err error) {
	err = r.Status().Update(ctx, b) // want `if Update fails and IsConflict is false, the error is forgotten`
	if err != nil && apierrors.IsConflict(err) {
		return true, r.Get(ctx, client.ObjectKeyFromObject(b), b)
	}
	return false, nil
}

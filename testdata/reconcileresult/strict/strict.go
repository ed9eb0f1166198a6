// Package strict has the cases of the strict flag.
package strict

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type unfiltered struct{ client.Client }

func (r *unfiltered) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil { // want `hygiene: the key of a deleted \*v1.Backup is retried forever: .*\(reconcileresult/notfound\)`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type filtered struct{ client.Client }

func (r *filtered) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type helper struct{ client.Client }

func check(err error) (ctrl.Result, error) {
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

func (r *helper) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return check(err)
	}
	return ctrl.Result{}, nil
}

type logsOnly struct{ client.Client }

func (r *logsOnly) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.note(ctx, &v1.Backup{})
}

func (r *logsOnly) note(ctx context.Context, b *v1.Backup) error {
	if err := r.Status().Update(ctx, b); err != nil { // want `loss: a failed Update is not retried: note returns success.*\(reconcileresult/swallowed\)`
		log.FromContext(ctx).Error(err, "status")
		return nil
	}
	return nil
}

type computed struct{ client.Client }

func (r *computed) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Update(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: time.Until(b.CreationTimestamp.Time)}, err // want `hygiene: .* not after RequeueAfter: .*\(reconcileresult/result-with-error\)`
	}
	return ctrl.Result{}, nil
}

// A second look at the clock is later than the first.
func again(backup *v1.Backup) (ctrl.Result, error) {
	if time.Until(backup.CreationTimestamp.Add(time.Hour)) > 0 {
		return ctrl.Result{RequeueAfter: time.Until(backup.CreationTimestamp.Add(time.Hour))}, nil // want `not looked at again`
	}
	return ctrl.Result{}, nil
}

package gone

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The error of the first Get is returned as it is.

type plain struct{ client.Client }

func (r *plain) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil { // want `hygiene: the key of a deleted \*v1.Backup is retried forever: .*\(reconcileresult/notfound\)`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type wrapped struct{ client.Client }

func (r *wrapped) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: req.Name}, b); err != nil { // want `hygiene: the key of a deleted \*v1.Backup is retried forever: .*\(reconcileresult/notfound\)`
		log.FromContext(ctx).Error(err, "get")
		return ctrl.Result{}, fmt.Errorf("get: %w", err)
	}
	return ctrl.Result{}, nil
}

// Traps: somebody asks what the error says.

type byStatus struct{ client.Client }

func (r *byStatus) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if codeOf(err) == http.StatusNotFound {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func codeOf(err error) int32 {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}

// The same variable has the errors of two reads, and one question is for both.
type shared struct{ client.Client }

func (r *shared) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	err := r.Get(ctx, req.NamespacedName, b)
	if err == nil {
		err = r.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: b.Spec.Source}, &corev1.Secret{})
	}
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

// What is read first is another object than the one of the controller.
type config struct{ client.Client }

func (r *config) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Get(ctx, client.ObjectKey{Namespace: req.Namespace, Name: "config"}, &corev1.ConfigMap{}); err != nil {
		return ctrl.Result{}, err
	}
	b := &v1.Backup{}
	return ctrl.Result{}, client.IgnoreNotFound(r.Get(ctx, req.NamespacedName, b))
}

package gone

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type done struct{ client.Client }

func (r *done) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	again := ctrl.Result{RequeueAfter: pause}
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return again, nil
	}
	return again, nil
}

// What it needs is not there yet: another object, also one of the same name.
type dependency struct{ client.Client }

func (r *dependency) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	secret := &corev1.Secret{}
	if err := r.Get(ctx, req.NamespacedName, secret); apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: pause}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	source := &v1.Backup{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: req.Namespace, Name: b.Spec.Source}, source); apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: pause}, nil
	}
	return ctrl.Result{}, nil
}

// It is made, and looked at again then.
type created struct{ client.Client }

func (r *created) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); apierrors.IsNotFound(err) {
		b.Name, b.Namespace = req.Name, req.Namespace
		if err := r.Create(ctx, b); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{RequeueAfter: pause}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

// The name is another one by then.
type renamed struct{ client.Client }

func (r *renamed) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	req.Name = "default"
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: pause}, nil
	}
	return ctrl.Result{}, nil
}

// Not the first Get: the first one looks in another place.
type second struct{ client.Client }

func (r *second) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if req.Namespace == "" {
		volume := &corev1.PersistentVolume{}
		if err := r.Get(ctx, req.NamespacedName, volume); err == nil {
			return ctrl.Result{}, nil
		}
	}
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: pause}, nil
	}
	return ctrl.Result{}, nil
}

// A failure of something else in the clean-up after the object.
type cleanup struct{ client.Client }

func (r *cleanup) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
		if err := r.forget(req.Name); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

func (r *cleanup) forget(name string) error { return fmt.Errorf("no %s", name) }

// It goes on, with a note that the object has gone.
type noted struct{ client.Client }

func (r *noted) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	gone := false
	b := &v1.Backup{}
	err := r.Get(ctx, req.NamespacedName, b)
	if err != nil {
		if !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
		gone = true
	}
	if gone {
		if err := r.DeleteAllOf(ctx, &corev1.Secret{}, client.MatchingLabels{"backup": req.Name}); err != nil {
			return ctrl.Result{}, fmt.Errorf("deleting secrets: %w", err)
		}
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// What a deferred function asks is no answer.
type asksLater struct{ client.Client }

func (r *asksLater) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() {
		if apierrors.IsNotFound(err) {
			result, err = ctrl.Result{}, nil
		}
	}()
	b := &v1.Backup{}
	if err = r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, fmt.Errorf("get: %w", err)
	}
	return ctrl.Result{}, nil
}

type logsGone struct{ client.Client }

func (r *logsGone) Reconcile(ctx context.Context, req ctrl.Request) (_ ctrl.Result, err error) {
	b := &v1.Backup{}
	defer func() {
		if apierrors.IsNotFound(err) {
			fmt.Println("gone")
		}
	}()
	if err = r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{RequeueAfter: pause}, nil
}

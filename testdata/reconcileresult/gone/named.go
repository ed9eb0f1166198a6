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

// One named error for all reads, which a deferred call looks at: NotFound of the second is
// not that of the object.
type named struct{ client.Client }

func (r *named) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	b := &v1.Backup{}
	defer note(b, &err)
	err = r.Get(ctx, req.NamespacedName, b)
	if err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("reading %s: %w", req.Name, err)
	}
	if err := r.check(b); err != nil {
		return ctrl.Result{}, err
	}
	secret := &corev1.Secret{}
	err = r.Get(ctx, types.NamespacedName{Namespace: b.Namespace, Name: b.Spec.Source}, secret)
	if err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, fmt.Errorf("no secret %s: %w", b.Spec.Source, err)
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *named) check(b *v1.Backup) error {
	if b.Spec.Source == "" {
		return fmt.Errorf("%s has no source", b.Name)
	}
	return nil
}

func note(b *v1.Backup, err *error) { fmt.Println(b.Name, *err) }

// IgnoreNotFound where NotFound is known answers nil, also under a name.
type ignored struct{ client.Client }

func (r *ignored) Reconcile(ctx context.Context, req ctrl.Request) (_ ctrl.Result, failed error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil && !apierrors.IsNotFound(err) {
		return ctrl.Result{}, err
	} else if apierrors.IsNotFound(err) {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	defer func() {
		if err := r.Status().Update(ctx, b); err != nil {
			failed = err
		}
	}()
	return ctrl.Result{}, nil
}

// A bare return says nothing but what its names have so far, whatever other statements return.
type bare struct{ client.Client }

func (r *bare) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, failed error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return
		}
		return ctrl.Result{}, err
	}
	defer func() {
		if err := r.Status().Update(ctx, b); err != nil {
			fmt.Println(err)
		}
	}()
	return
}

// The error of the object itself, under a name.
type returned struct{ client.Client }

func (r *returned) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	b := &v1.Backup{}
	defer note(b, &err)
	err = r.Get(ctx, req.NamespacedName, b)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, fmt.Errorf("no backup %s: %w", req.Name, err) // want `leak: the key of each deleted \*v1.Backup comes back forever.*an error.*\(reconcileresult/notfound-requeued\)`
	}
	return ctrl.Result{}, err
}

// The question is about whichever of the two has been read last.
type either struct{ client.Client }

func (r *either) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	err := r.Get(ctx, req.NamespacedName, b)
	if err == nil && b.Spec.Source != "" {
		err = r.Get(ctx, types.NamespacedName{Namespace: b.Namespace, Name: b.Spec.Source}, &corev1.Secret{})
	}
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, fmt.Errorf("nothing there: %w", err)
	}
	return ctrl.Result{}, err
}

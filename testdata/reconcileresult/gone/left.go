package gone

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What IgnoreNotFound has left is another error.
type leftOver struct {
	client.Client
	pause time.Duration
}

func (r *leftOver) Reconcile(ctx context.Context, req ctrl.Request) (again ctrl.Result, err error) {
	var b v1.Backup
	if err = r.Get(ctx, req.NamespacedName, &b); err != nil {
		if err = client.IgnoreNotFound(err); err != nil {
			again = ctrl.Result{Requeue: true, RequeueAfter: r.pause}
			return // want `hygiene: .*\(reconcileresult/result-with-error\)`
		}
		return
	}
	fmt.Println(b.Name)
	return
}

type leftNothing struct{ client.Client }

func (r *leftNothing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var b v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &b); err != nil {
		if err = client.IgnoreNotFound(err); err == nil {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{RequeueAfter: pause}, err // want `hygiene: .*\(reconcileresult/result-with-error\)`
	}
	return ctrl.Result{}, nil
}

// A deferred function asks what is left.
type leftDeferred struct{ client.Client }

func (r *leftDeferred) Reconcile(ctx context.Context, req ctrl.Request) (again ctrl.Result, err error) {
	defer func() {
		if err != nil {
			again = ctrl.Result{RequeueAfter: pause}
		}
	}()
	b := &v1.Backup{}
	if err = r.Get(ctx, req.NamespacedName, b); err != nil {
		err = client.IgnoreNotFound(err)
		return
	}
	err = r.Update(ctx, b)
	return
}

type leftDeferredElse struct{ client.Client }

func (r *leftDeferredElse) Reconcile(ctx context.Context, req ctrl.Request) (again ctrl.Result, err error) {
	defer func() {
		if err == nil {
			fmt.Println("done")
		} else {
			again = ctrl.Result{RequeueAfter: pause}
		}
	}()
	b := &v1.Backup{}
	if err = r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // want `hygiene: .*\(reconcileresult/result-with-error\)`
	}
	err = r.Update(ctx, b)
	return
}

// The branch is the one of NotFound.
type leftForNotFound struct{ client.Client }

func (r *leftForNotFound) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if err = client.IgnoreNotFound(err); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{RequeueAfter: pause}, nil // want `leak: the key of each deleted \*v1.Backup comes back forever.*a requeue.*\(reconcileresult/notfound-requeued\)`
	}
	return ctrl.Result{}, nil
}

// Both kinds of error take this way.
type leftForBoth struct{ client.Client }

func (r *leftForBoth) Reconcile(ctx context.Context, req ctrl.Request) (again ctrl.Result, err error) {
	b := &v1.Backup{}
	if err = r.Get(ctx, types.NamespacedName{Namespace: req.Namespace, Name: req.Name}, b); err != nil {
		if err = client.IgnoreNotFound(err); err != nil {
			fmt.Println("cannot read", req)
		}
		again = ctrl.Result{RequeueAfter: pause}
		return // want `leak: .*a requeue.*\(reconcileresult/notfound-requeued\)`
	}
	return
}

// The deferred function asks for success, which NotFound is.
type leftForSuccess struct{ client.Client }

func (r *leftForSuccess) Reconcile(ctx context.Context, req ctrl.Request) (again ctrl.Result, err error) {
	defer func() {
		if err == nil {
			again = ctrl.Result{RequeueAfter: pause}
		}
	}()
	b := &v1.Backup{}
	if err = r.Get(ctx, req.NamespacedName, b); err != nil {
		err = client.IgnoreNotFound(err)
		return // want `leak: .*a requeue.*\(reconcileresult/notfound-requeued\)`
	}
	err = r.Update(ctx, b)
	return
}

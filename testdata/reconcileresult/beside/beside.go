// Package beside has the cases of reconcileresult/result-with-error.
package beside

import (
	"context"
	"errors"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const pause = 5 * time.Second

var errBusy = errors.New("busy")

type literal struct{ client.Client }

func (r *literal) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: pause}, err // want `hygiene: a failure is retried after milliseconds to minutes, not after 5s: .*ignored; .*\(reconcileresult/result-with-error\)`
	}
	return ctrl.Result{RequeueAfter: pause}, nil
}

type requeue struct{ client.Client }

func (r *requeue) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	err := r.Get(ctx, req.NamespacedName, b)
	if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err = r.Update(ctx, b); err != nil {
		return ctrl.Result{Requeue: true}, fmt.Errorf("update: %w", err) // want `hygiene: Requeue changes nothing beside an error.*\(reconcileresult/result-with-error\)`
	}
	return ctrl.Result{}, nil
}

type variable struct{ client.Client }

func (r *variable) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	again := ctrl.Result{RequeueAfter: pause}
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(ctx, b); err != nil {
		return again, fmt.Errorf("update: %w", err) // want `hygiene: .* not after 5s`
	}
	return again, nil
}

type assigned struct{ client.Client }

func (r *assigned) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var result ctrl.Result
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return result, client.IgnoreNotFound(err)
	}
	if b.Spec.Paused {
		result.RequeueAfter = time.Minute
	}
	if err := r.Update(ctx, b); err != nil {
		return result, err // want `hygiene: the requeue of line \d+ is ignored`
	}
	return result, nil
}

type named struct{ client.Client }

func (r *named) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() { fmt.Println(result, err) }()
	b := &v1.Backup{}
	if err = r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err = r.Update(ctx, b); err != nil {
		result.RequeueAfter = pause
		return result, err // want `\(reconcileresult/result-with-error\)`
	}
	return result, nil
}

type inner struct{ client.Client }

func (r *inner) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.reconcile(ctx, req)
	if err != nil {
		fmt.Println(err)
	}
	return result, err
}

func (r *inner) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	switch b.Status.Phase {
	case "":
		return r.start(ctx, b)
	case "Running":
		return ctrl.Result{RequeueAfter: pause}, errors.New("still running") // want `\(reconcileresult/result-with-error\)`
	}
	return ctrl.Result{}, nil
}

func (r *inner) start(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.Status().Update(ctx, b); err != nil {
		return ctrl.Result{Requeue: true, RequeueAfter: pause}, err // want `\(reconcileresult/result-with-error\)`
	}
	return ctrl.Result{}, nil
}

// Also where success is told apart.
type apart struct{ client.Client }

func (r *apart) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	defer fmt.Println("done")
	result, err := r.inner(ctx)
	if err != nil {
		return result, err
	}
	return result, nil
}

func (r *apart) inner(ctx context.Context) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: pause}, errors.New("later") // want `\(reconcileresult/result-with-error\)`
}

type helpers struct {
	client.Client
	interval time.Duration
}

func after(d time.Duration) ctrl.Result { return ctrl.Result{RequeueAfter: d} }

func withError(err error) (ctrl.Result, error) {
	fmt.Println(err)
	return ctrl.Result{RequeueAfter: pause}, err
}

func (r *helpers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(ctx, b); err != nil {
		return after(pause), err // want `hygiene: .* not after 5s: .* \(2 returns\)`
	}
	if err := r.Status().Update(ctx, b); err != nil {
		return withError(err)
	}
	if b.Spec.Paused {
		return ctrl.Result{RequeueAfter: r.interval}, errBusyWith(b) // may be nil, as far as is known
	}
	return withError(nil)
}

func errBusyWith(b *v1.Backup) error {
	if b.Spec.Paused {
		return nil
	}
	return errBusy
}

type terminal struct{ client.Client }

func (r *terminal) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: time.Hour}, reconcile.TerminalError(err) // want `stuck: the object is not looked at again after 1h: beside a terminal error`
	}
	return ctrl.Result{}, nil
}

type typed struct{ client.Client }

func (r *typed) Reconcile(ctx context.Context, b *v1.Backup) (reconcile.Result, error) {
	if b.Spec.Paused {
		return reconcile.Result{Requeue: true}, errors.New("paused") // want `hygiene: .*\(reconcileresult/result-with-error\)`
	}
	return reconcile.Result{}, nil
}

type generic[T client.Object] struct{ client.Client }

func (r *generic[T]) Reconcile(ctx context.Context, o T) (reconcile.Result, error) {
	if err := r.Update(ctx, o); err != nil {
		return reconcile.Result{RequeueAfter: pause}, err // want `\(reconcileresult/result-with-error\)`
	}
	return reconcile.Result{}, nil
}

func closure(c client.Client) reconcile.Func {
	return func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
		b := &v1.Backup{}
		if err := c.Get(ctx, req.NamespacedName, b); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		if err := c.Update(ctx, b); err != nil {
			return ctrl.Result{RequeueAfter: pause}, err // want `\(reconcileresult/result-with-error\)`
		}
		return ctrl.Result{}, nil
	}
}

// One Result for all returns is one mistake.
type everywhere struct{ client.Client }

func (r *everywhere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	again := ctrl.Result{RequeueAfter: 5 * time.Minute}
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(ctx, b); err != nil {
		return again, fmt.Errorf("update: %w", err) // want `hygiene: .* not after 5m: .* \(3 returns\)`
	}
	if err := r.Status().Update(ctx, b); err != nil {
		return again, err
	}
	if err := r.Delete(ctx, b); err != nil {
		return again, err
	}
	return again, nil
}

// Both kinds in one function are two mistakes.
type both struct {
	client.Client
	retryPeriod time.Duration
}

func newBoth(c client.Client) *both { return &both{Client: c, retryPeriod: 30 * time.Second} }

func (r *both) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil { // want `hygiene: .*\(reconcileresult/notfound\)`
		return ctrl.Result{Requeue: true}, fmt.Errorf("get: %w", err) // want `hygiene: .* \(2 returns\)`
	}
	if err := r.Update(ctx, b); err != nil {
		return ctrl.Result{Requeue: true}, err
	}
	if err := r.Status().Update(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: r.retryPeriod}, err // want `hygiene: .* not after 30s: `
	}
	return ctrl.Result{}, nil
}

// A helper that is told how long.
type told struct{ client.Client }

func later(d time.Duration, err error) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: d}, err
}

func (r *told) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return later(time.Second, err) // want `hygiene: .* not after 1s: .* \(2 returns\)`
	}
	if err := r.Update(ctx, b); err != nil {
		return later(time.Minute, fmt.Errorf("update: %w", err))
	}
	return later(0, nil)
}

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

// The error may be nil: then the Result counts.
type mayBeNil struct{ client.Client }

func (r *mayBeNil) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.Spec.Paused {
		return ctrl.Result{RequeueAfter: pause}, r.Update(ctx, b)
	}
	err := r.Status().Update(ctx, b)
	return ctrl.Result{Requeue: true}, err
}

// NotFound is no error any more.
type ignored struct{ client.Client }

func (r *ignored) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	owner := &v1.Backup{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, owner); err != nil {
		return ctrl.Result{RequeueAfter: pause}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, nil
}

// An empty Result says nothing.
type zero struct{ client.Client }

func (r *zero) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{Requeue: false}, err
	}
	if err := r.Delete(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{RequeueAfter: 0}, err
	}
	return ctrl.Result{}, nil
}

// The priority counts beside an error, too.
type priority struct{ client.Client }

func (r *priority) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	low := -10
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{Priority: &low}, err
	}
	return ctrl.Result{}, nil
}

// The Result is emptied before it goes out.
type emptied struct{ client.Client }

func (r *emptied) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := ctrl.Result{RequeueAfter: pause}
	err := r.Update(ctx, &v1.Backup{})
	if err != nil {
		result = ctrl.Result{}
	}
	return result, err
}

// A deferred function sees to it.
type deferred struct{ client.Client }

func (r *deferred) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() {
		if err != nil {
			result = ctrl.Result{}
		}
	}()
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{RequeueAfter: pause}, err
	}
	return ctrl.Result{}, nil
}

// Reconcile looks at both results and returns one.
type split struct{ client.Client }

var errLater = errors.New("later")

func (r *split) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.inner(ctx)
	if errors.Is(err, errLater) {
		return result, nil
	}
	return ctrl.Result{}, err
}

func (r *split) inner(ctx context.Context) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: pause}, errLater
}

// For some errors the Result counts.
type picks struct{ client.Client }

func (r *picks) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.inner(ctx)
	if errors.Is(err, errLater) {
		return result, nil
	}
	return result, err
}

func (r *picks) inner(ctx context.Context) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: pause}, errLater
}

// The error was nil when it was looked at.
type checkedBefore struct{ client.Client }

func (r *checkedBefore) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	err := r.Update(ctx, &v1.Backup{})
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: pause}, err
}

// On the path with the error nothing is set.
type eitherOr struct{ client.Client }

func (r *eitherOr) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var result ctrl.Result
	err := r.Update(ctx, &v1.Backup{})
	if err == nil {
		result.RequeueAfter = pause
	}
	return result, err
}

// A helper that tells by the error itself whether to come back.
func resultFor(err error) (ctrl.Result, error) {
	if errors.Is(err, errLater) {
		return ctrl.Result{RequeueAfter: pause}, nil
	}
	return ctrl.Result{}, err
}

type delegates struct{ client.Client }

func (r *delegates) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return resultFor(err)
	}
	return ctrl.Result{}, nil
}

// The Result of another package's function.
type Sub interface {
	Run(ctx context.Context) (ctrl.Result, error)
}

type chain struct{ subs []Sub }

func (r *chain) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	for _, sub := range r.subs {
		if result, err := sub.Run(ctx); err != nil || !result.IsZero() {
			return result, err
		}
	}
	return ctrl.Result{}, nil
}

// Nobody returns these to controller-runtime.
type Result struct {
	Requeue      bool
	RequeueAfter time.Duration
}

type ownResult struct{}

func (ownResult) Reconcile(ctx context.Context, name string) (Result, error) {
	return Result{RequeueAfter: pause}, errLater
}

func unrelated() (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: pause}, errLater
}

// The requeue belongs to the branch without an error.
type branches struct{ client.Client }

func (r *branches) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	err := r.Get(ctx, req.NamespacedName, b)
	switch {
	case err == nil && b.Spec.Paused:
		return ctrl.Result{RequeueAfter: pause}, err
	case err != nil:
		return ctrl.Result{}, fmt.Errorf("get: %w", client.IgnoreNotFound(err))
	}
	return reconcile.Result{RequeueAfter: pause}, nil
}

// Silenced.
type silenced struct{ client.Client }

func (r *silenced) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{RequeueAfter: pause}, err //nolint:reconcileresult // the test looks at it
	}
	return ctrl.Result{}, nil
}

// A step that cannot fail yet, and one that hands its error on.
type stub struct{ client.Client }

func (r *stub) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.extend(); err != nil {
		return ctrl.Result{Requeue: true}, err
	}
	if _, err := r.spec(); err != nil {
		return ctrl.Result{Requeue: true}, err
	}
	b := &v1.Backup{}
	if err := r.init(b, &b.Spec); err != nil {
		return ctrl.Result{Requeue: true}, err
	}
	return ctrl.Result{}, nil
}

// init refuses nil only.
func (r *stub) init(b *v1.Backup, spec *v1.BackupSpec) error {
	if b == nil || spec == nil {
		return errors.New("nothing to start from")
	}
	return r.check(spec)
}

func (r *stub) check(spec *v1.BackupSpec) error {
	if spec != nil {
		return nil
	}
	return errors.New("no spec")
}

func (r *stub) extend() error { return nil }

func (r *stub) spec() (*v1.BackupSpec, error) {
	if err := r.extend(); err != nil {
		return nil, err
	}
	return &v1.BackupSpec{}, nil
}

// What a deferred function asks says nothing about the error at the return.
type logsSuccess struct{ client.Client }

func (r *logsSuccess) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer func() {
		if err == nil {
			fmt.Println("done")
		}
	}()
	b := &v1.Backup{}
	if err = r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.Spec.Paused {
		return ctrl.Result{RequeueAfter: pause}, r.Status().Update(ctx, b)
	}
	result.RequeueAfter = pause
	err = r.Update(ctx, b)
	return result, err
}

// Nor does what it logs of a failure, or counts.
type countsFailures struct {
	client.Client
	failed int
}

func (r *countsFailures) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	defer r.count(&err)
	defer func() {
		switch {
		case err != nil:
			fmt.Println("failed", err)
		case result.RequeueAfter > 0:
			fmt.Println("later")
		}
	}()
	return ctrl.Result{RequeueAfter: pause}, r.Update(ctx, &v1.Backup{})
}

func (r *countsFailures) count(err *error) {
	if *err != nil {
		r.failed++
	}
}

// The error may be nil on one of the ways to the return.
type eitherWay struct{ client.Client }

func (r *eitherWay) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := ctrl.Result{RequeueAfter: pause}
	err := r.Update(ctx, &v1.Backup{})
	if err != nil {
		fmt.Println("update", err)
	}
	return result, err
}

// Whether these requeue is not known: the duration may be 0.
type configured struct {
	client.Client
	interval time.Duration
	next     func() time.Duration
}

var resync time.Duration

func (r *configured) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{RequeueAfter: r.interval}, err
	}
	if err := r.Update(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: r.next()}, err
	}
	if err := r.Status().Update(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: resync}, err
	}
	if err := r.Delete(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: time.Until(b.CreationTimestamp.Add(pause))}, err
	}
	return ctrl.Result{}, nil
}

// A comment on the first return silences all that are the same.
type silencedAll struct{ client.Client }

func (r *silencedAll) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{RequeueAfter: pause}, err //nolint:reconcileresult // known
	}
	if err := r.Delete(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{RequeueAfter: pause}, err
	}
	return ctrl.Result{}, nil
}

package silent

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// storer has what the reconcilers below share.
type storer struct{ client.Client }

// namespace hands on what the requests fail with.
func (r *storer) namespace(ctx context.Context) error {
	ns := &corev1.Namespace{}
	err := r.Get(ctx, client.ObjectKey{Name: "x"}, ns)
	if apierrors.IsNotFound(err) {
		return r.Create(ctx, ns)
	}
	return err
}

func (r *storer) look(ctx context.Context, b *v1.Backup) error {
	pod := &corev1.Pod{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), pod); err != nil {
		return err
	}
	b.Status.Message = pod.Status.Message
	return nil
}

// waits comes back as long as the object is not done, whatever its helper says.
type waits struct{ *storer }

func (r *waits) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, reterr error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	defer func() {
		if err := r.Status().Update(ctx, b); err != nil {
			reterr = errors.Join(reterr, err)
		}
		if reterr == nil && result.RequeueAfter <= 0 && b.Status.Phase != "Done" {
			result = ctrl.Result{RequeueAfter: time.Minute}
		}
	}()
	return r.reconcile(ctx, b)
}

func (r *waits) reconcile(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.look(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.namespace(ctx); err != nil { // want `hygiene: a failed namespace is retried only if what Reconcile defers sees to it: reconcile returns success on line \d+.*\(reconcileresult/swallowed\)`
		return ctrl.Result{}, nil
	}
	if err := r.Create(ctx, &corev1.Pod{}); err != nil {
		return ctrl.Result{}, fmt.Errorf("create: %w", err)
	}
	return ctrl.Result{}, nil
}

// looks fails if what it looks at last does.
type looks struct{ *storer }

func (r *looks) Reconcile(ctx context.Context, req ctrl.Request) (_ ctrl.Result, reterr error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	defer func() {
		if err := r.look(ctx, b); err != nil {
			reterr = errors.Join(reterr, err)
		}
	}()
	return r.remove(ctx, b)
}

func (r *looks) remove(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.Delete(ctx, b); err != nil { // want `hygiene: a failed Delete is retried only if what Reconcile defers sees to it`
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// stores only tells of its own failure, and of panics.
type stores struct{ *storer }

func (r *stores) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, reterr error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	defer func() {
		if p := recover(); p != nil {
			reterr = fmt.Errorf("panic: %v", p)
		}
	}()
	defer func() {
		if err := r.Status().Update(ctx, b); err != nil {
			reterr = errors.Join(reterr, err)
		}
		if reterr != nil {
			result = ctrl.Result{RequeueAfter: time.Second}
		}
	}()
	return r.reconcile(ctx, b)
}

func (r *stores) reconcile(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.look(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.namespace(ctx); err != nil { // want `loss: a failed namespace is not retried: reconcile returns success on line \d+`
		return ctrl.Result{}, nil
	}
	if err := r.Create(ctx, &corev1.Pod{}); err != nil {
		return ctrl.Result{}, fmt.Errorf("create: %w", err)
	}
	return ctrl.Result{}, nil
}

// shared has a second caller that defers nothing.
type shared struct{ *storer }

func (r *shared) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, reterr error) {
	defer func() {
		if reterr == nil {
			result.RequeueAfter = time.Minute
		}
	}()
	return r.remove(ctx, &v1.Backup{})
}

type sharedToo struct{ *shared }

func (r *sharedToo) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return r.remove(ctx, &v1.Backup{})
}

func (r *shared) remove(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.Delete(ctx, b); err != nil { // want `loss: a failed Delete is not retried`
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// clears takes away what others have set.
type clears struct{ *storer }

func (r *clears) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, reterr error) {
	defer func() {
		result = ctrl.Result{}
	}()
	return r.remove(ctx, &v1.Backup{})
}

func (r *clears) remove(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.Delete(ctx, b); err != nil { // want `loss: a failed Delete is not retried`
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

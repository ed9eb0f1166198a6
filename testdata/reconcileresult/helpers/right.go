package helpers

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type traps struct{ client.Client }

func (r *traps) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	done, err := r.tellsByResult(ctx, b)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !done {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	if done, err := r.notYet(ctx, b); err != nil {
		return ctrl.Result{}, err
	} else if !done {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	if found, err := r.findsOrMakes(ctx, b); err != nil || found == nil {
		return ctrl.Result{}, err
	}
	for _, step := range []func(context.Context, *v1.Backup) error{
		r.logs, r.bestEffort, r.exists, r.gone, r.switched, r.kinds, r.remembered, r.retried, r.named, r.createsIfMissing, r.poll,
	} {
		if err := step(ctx, b); err != nil {
			return r.known(ctx, err)
		}
	}
	if _, err := r.isGone(ctx, b); err != nil {
		return r.condition(ctx, b, err)
	}
	if r.exists(ctx, b) != nil {
		return r.later(err)
	}
	return ctrl.Result{}, nil
}

// The other result says that it has failed.
func (r *traps) tellsByResult(ctx context.Context, b *v1.Backup) (bool, error) {
	if err := r.Create(ctx, b); err != nil {
		return false, nil
	}
	return true, nil
}

func (r *traps) findsOrMakes(ctx context.Context, b *v1.Backup) (*v1.Backup, error) {
	if err := r.Update(ctx, b); err != nil {
		return nil, nil
	}
	return b, nil
}

// Not done yet, and the caller comes back.
func (r *traps) notYet(ctx context.Context, b *v1.Backup) (bool, error) {
	if b.Status.Phase == "Done" {
		return true, nil
	}
	if err := r.Update(ctx, b); err != nil {
		return false, nil
	}
	return false, nil
}

// Another one calls it until it is done.
func (r *traps) poll(ctx context.Context, b *v1.Backup) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, r.deleted)
}

func (r *traps) deleted(ctx context.Context) (bool, error) {
	if err := r.Delete(ctx, &v1.Backup{}); err != nil {
		return false, nil
	}
	return false, nil
}

// Somebody hears of it.
func (r *traps) logs(ctx context.Context, b *v1.Backup) error {
	if err := r.Update(ctx, b); err != nil {
		log.FromContext(ctx).Error(err, "update")
		return nil
	}
	return nil
}

func (r *traps) bestEffort(ctx context.Context, b *v1.Backup) error {
	if err := r.Delete(ctx, b); err != nil {
		// It expires by itself.
		return nil
	}
	return nil
}

// One kind is a success, and all others are errors.
func (r *traps) exists(ctx context.Context, b *v1.Backup) error {
	err := r.Create(ctx, b)
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (r *traps) gone(ctx context.Context, b *v1.Backup) error {
	if err := r.Delete(ctx, b); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

func (r *traps) switched(ctx context.Context, b *v1.Backup) error {
	switch err := r.Update(ctx, b); {
	case apierrors.IsConflict(err):
		return errors.New("conflict")
	case err != nil:
		return err
	}
	return nil
}

func (r *traps) kinds(ctx context.Context, b *v1.Backup) error {
	err := r.Delete(ctx, b)
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// It is returned in the end.
func (r *traps) remembered(ctx context.Context, b *v1.Backup) error {
	var all []error
	if err := r.Update(ctx, b); err != nil {
		all = append(all, err)
	}
	if err := r.Status().Update(ctx, b); err != nil {
		all = append(all, err)
	}
	return errors.Join(all...)
}

func (r *traps) retried(ctx context.Context, b *v1.Backup) error {
	var err error
	for range 3 {
		if err = r.Update(ctx, b); err == nil {
			break
		}
	}
	return err
}

func (r *traps) named(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if err == nil {
			b.Status.Message = "done"
		}
	}()
	err = r.Update(ctx, b)
	if apierrors.IsConflict(err) {
		b.Status.Message = "conflict"
	}
	return err
}

// What is not there is made; the rest is seen by the Update.
func (r *traps) createsIfMissing(ctx context.Context, b *v1.Backup) error {
	found := &corev1.Secret{}
	err := r.Get(ctx, client.ObjectKeyFromObject(b), found)
	if err != nil && apierrors.IsNotFound(err) {
		return r.Create(ctx, &corev1.Secret{})
	}
	return r.Update(ctx, found)
}

// A condition for a poll: other errors mean another round.
func (r *traps) isGone(ctx context.Context, b *v1.Backup) (bool, error) {
	err := r.Get(ctx, client.ObjectKeyFromObject(b), b)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, nil
}

// Errors that cannot be mended are a success.
func (r *traps) known(ctx context.Context, err error) (ctrl.Result, error) {
	if apierrors.IsInvalid(err) {
		log.FromContext(ctx).Error(err, "invalid")
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

// The status says so, and an event follows when that is written.
func (r *traps) condition(ctx context.Context, b *v1.Backup, err error) (ctrl.Result, error) {
	b.Status.Message = err.Error()
	if err := r.Status().Update(ctx, b); err != nil { // want `hygiene: a failed Update is not retried`
		log.FromContext(ctx).Error(err, "status")
	}
	return ctrl.Result{}, nil
}

func (r *traps) later(err error) (ctrl.Result, error) {
	if err != nil {
		return ctrl.Result{RequeueAfter: time.Minute}, nil
	}
	return ctrl.Result{}, nil
}

// Nobody reconciles by this.
func command(ctx context.Context, c client.Client) error {
	if err := c.Update(ctx, &v1.Backup{}); err != nil {
		return nil
	}
	return nil
}

package helpers

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type counter struct {
	client.Client
	secrets []corev1.Secret
	period  time.Duration
}

func (r *counter) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	_, failures, err := r.createAll(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	if failures > 0 {
		return ctrl.Result{RequeueAfter: time.Minute}, nil
	}
	if failures, err := r.deferred(ctx); err != nil || failures > 0 {
		return ctrl.Result{RequeueAfter: time.Minute}, err
	}
	sum, err := r.summed(ctx)
	if err != nil || sum.failed > 0 {
		return ctrl.Result{RequeueAfter: time.Minute}, err
	}
	if err := r.byPointer(ctx, &failures); err != nil || failures > 0 {
		return ctrl.Result{RequeueAfter: time.Minute}, err
	}
	if _, err := r.made(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if _, err := r.seen(ctx); err != nil {
		return ctrl.Result{}, err
	}
	after, err := r.later(ctx)
	return ctrl.Result{RequeueAfter: after}, err
}

type sum struct{ created, failed int }

// So it is in a struct.
func (r *counter) summed(ctx context.Context) (sum, error) {
	var s sum
	for i := range r.secrets {
		if err := r.Create(ctx, &r.secrets[i]); err != nil {
			if !apierrors.IsAlreadyExists(err) {
				s.failed++
			}
			continue
		}
		s.created++
	}
	return s, nil
}

func (r *counter) byPointer(ctx context.Context, failures *int) error {
	for i := range r.secrets {
		if err := r.Delete(ctx, &r.secrets[i]); err != nil && !apierrors.IsNotFound(err) {
			*failures++
		}
	}
	return nil
}

// seen counts those that have failed and those that have not alike.
func (r *counter) seen(ctx context.Context) (seen int, err error) {
	for i := range r.secrets {
		err := r.Delete(ctx, &r.secrets[i]) // want `loss: if Delete fails and IsConflict is false`
		if err != nil && apierrors.IsConflict(err) {
			return seen, err
		}
		seen++
	}
	return seen, nil
}

// later adds up a delay, and no failures.
func (r *counter) later(ctx context.Context) (time.Duration, error) {
	err := r.Update(ctx, &r.secrets[0]) // want `loss: if Update fails and IsConflict is false`
	if err != nil && apierrors.IsConflict(err) {
		return 0, err
	}
	return r.period + time.Second, nil
}

// What has failed is counted, and the caller is told.
func (r *counter) createAll(ctx context.Context) (created, failures int, err error) {
	for i := range r.secrets {
		if err := r.Create(ctx, &r.secrets[i]); err != nil {
			if !apierrors.IsAlreadyExists(err) {
				failures++
			}
			continue
		}
		created++
	}
	return created, failures, nil
}

// So it is where the result is a variable that others have a hand in.
func (r *counter) deferred(ctx context.Context) (failures int, err error) {
	defer func() { failures *= 2 }()
	for i := range r.secrets {
		if err := r.Delete(ctx, &r.secrets[i]); err != nil {
			if !apierrors.IsNotFound(err) {
				failures++
			}
			continue
		}
	}
	return failures, nil
}

// made counts what has not failed, and what has for itself alone.
func (r *counter) made(ctx context.Context) (created int, err error) {
	failures := 0
	for i := range r.secrets {
		if err := r.Create(ctx, &r.secrets[i]); err != nil { // want `loss: if Create fails and IsAlreadyExists is false, the error is forgotten`
			if !apierrors.IsAlreadyExists(err) {
				failures++
			}
			continue
		}
		created++
	}
	if failures == len(r.secrets) {
		created = 0
	}
	return created, nil
}

// Package helpers has the cases of reconcileresult/swallowed outside Reconcile.
package helpers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/reconcileresult/helpers/lib"
)

type steps struct {
	client.Client
	live   client.Reader
	config *rest.Config
}

func (r *steps) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if stop, err := r.ensure(ctx, b); err != nil || stop {
		return ctrl.Result{}, err
	}
	if done, err := r.finish(ctx, b); err != nil {
		return ctrl.Result{}, err
	} else if !done {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	if err := r.label(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.cleanUp(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if _, err := r.all(ctx, nil); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.conflicts(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.inverted(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.invertedLive(ctx, r.live, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.invertedElsewhere(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	_, err := lib.Ensure(ctx, r.Client, b) // want `loss: a failed Create at lib/lib.go:\d+ is not retried: Ensure returns success.*\(reconcileresult/swallowed\)`
	return ctrl.Result{}, err
}

// ensure tells whether to stop, and never does.
func (r *steps) ensure(ctx context.Context, b *v1.Backup) (bool, error) {
	secret := &corev1.Secret{}
	err := r.Get(ctx, client.ObjectKeyFromObject(b), secret)
	if apierrors.IsNotFound(err) {
		if err := r.Create(ctx, secret); err != nil { // want `loss: a failed Create is not retried: ensure returns success on line \d+.*\(reconcileresult/swallowed\)`
			return false, nil
		}
		return false, nil
	}
	return false, err
}

// finish says that it is done although it has failed.
func (r *steps) finish(ctx context.Context, b *v1.Backup) (done bool, err error) {
	if b.Status.Phase != "Done" {
		return false, nil
	}
	if err := r.Delete(ctx, b); err != nil { // want `loss: a failed Delete is not retried: finish returns success`
		return true, nil
	}
	return true, nil
}

func (r *steps) label(ctx context.Context, b *v1.Backup) error {
	b.Labels = map[string]string{"seen": "true"}
	if err := r.Update(ctx, b); err != nil { // want `loss: a failed Update is not retried: label returns success`
		return nil
	}
	return nil
}

// all goes on with the next one.
func (r *steps) all(ctx context.Context, secrets []corev1.Secret) (done bool, err error) {
	for i := range secrets {
		if err := r.Delete(ctx, &secrets[i]); err != nil { // want `loss: a failed Delete is not retried: all returns success`
			continue
		}
	}
	return true, nil
}

// The test is the wrong way round.
func (r *steps) cleanUp(ctx context.Context, b *v1.Backup) error {
	if err := r.Delete(ctx, b); err != nil && apierrors.IsNotFound(err) { // want `loss: if Delete fails and IsNotFound is false, the error is forgotten and line \d+ returns success.*\(reconcileresult/swallowed\)`
		return err
	}
	return nil
}

// Only conflicts are looked at.
func (r *steps) conflicts(ctx context.Context, b *v1.Backup) error {
	err := r.Status().Update(ctx, b) // want `if Update fails and IsConflict is false`
	if apierrors.IsConflict(err) {
		return fmt.Errorf("conflict: %w", err)
	}
	return nil
}

func (r *steps) inverted(ctx context.Context, b *v1.Backup) error {
	source := &v1.Backup{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, source); err != nil && apierrors.IsNotFound(err) { // want `^hygiene: if Get fails and IsNotFound is false`
		return fmt.Errorf("source: %w", err)
	}
	b.Spec.Paused = source.Spec.Paused
	return r.Update(ctx, b)
}

// A read that goes to the API server fails in more ways.
func (r *steps) invertedLive(ctx context.Context, live client.Reader, b *v1.Backup) error {
	source := &v1.Backup{}
	if err := live.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, source); err != nil && apierrors.IsNotFound(err) { // want `^loss: if Get fails and IsNotFound is false`
		return fmt.Errorf("source: %w", err)
	}
	b.Spec.Paused = source.Spec.Paused
	return r.Update(ctx, b)
}

// So does one with a client that has no cache.
func (r *steps) invertedElsewhere(ctx context.Context, b *v1.Backup) error {
	direct, err := client.New(r.config, client.Options{})
	if err != nil {
		return err
	}
	source := &v1.Backup{}
	if err := direct.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, source); err != nil && apierrors.IsNotFound(err) { // want `^loss: if Get fails and IsNotFound is false`
		return fmt.Errorf("source: %w", err)
	}
	b.Spec.Paused = source.Spec.Paused
	return r.Update(ctx, b)
}

// Everything is a success.
type mapsAll struct{ client.Client }

func (r *mapsAll) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Update(ctx, b); err != nil {
		return r.failed(ctx, fmt.Errorf("update: %w", err))
	}
	if err := r.write(ctx, b); err != nil {
		return r.failed(ctx, err)
	}
	return ctrl.Result{}, nil
}

func (r *mapsAll) write(ctx context.Context, b *v1.Backup) error {
	if err := r.Status().Update(ctx, b); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	return nil
}

func (r *mapsAll) failed(ctx context.Context, err error) (ctrl.Result, error) {
	log.FromContext(ctx).Error(err, "failed")
	return ctrl.Result{}, nil // want `loss: a failed Update is not retried: failed makes success of every error.*\(reconcileresult/swallowed\)`
}

type mapsElsewhere struct{ client.Client }

func (r *mapsElsewhere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return lib.Answer(ctx, err) // want `loss: a failed Update is not retried: Answer \(lib/lib.go:\d+\) makes success of every error`
	}
	if err := r.Delete(ctx, &v1.Backup{}); err != nil {
		return lib.Known(ctx, err)
	}
	return ctrl.Result{}, lib.Delete(ctx, r.Client, &v1.Backup{})
}

// The same in Reconcile itself.
type own struct{ client.Client }

func (r *own) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Delete(ctx, &v1.Backup{}); err != nil && apierrors.IsNotFound(err) { // want `if Delete fails and IsNotFound is false`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

// A write behind a wrapper, a literal, and a function of another package.
type wrapped struct{ client.Client }

func (r *wrapped) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.store(ctx, b); err != nil { // want `a failed store is not retried`
		return ctrl.Result{}, nil
	}
	if err := r.kept(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *wrapped) store(ctx context.Context, b *v1.Backup) error {
	if err := r.Status().Update(ctx, b); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	return nil
}

// Neither is a write that nobody hears of: one is told of, one makes more of it.
func (r *wrapped) kept(ctx context.Context, b *v1.Backup) error {
	update := func() error { return r.Update(ctx, b) }
	if err := update(); err != nil {
		return err
	}
	if err := r.twoSteps(ctx, b); err != nil {
		return nil
	}
	return nil
}

func (r *wrapped) twoSteps(ctx context.Context, b *v1.Backup) error {
	if b.Spec.Paused {
		return nil
	}
	return r.Update(ctx, b)
}

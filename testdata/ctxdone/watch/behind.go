package watch

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Behind has helpers that receive the events.
type Behind struct{ Reconciler }

// Reconcile calls them.
func (b *Behind) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, errors.Join(b.untilClosed(ctx), b.untilReady(ctx))
}

// untilClosed has a helper that returns when the watch is closed: right.
func (b *Behind) untilClosed(ctx context.Context) error {
	w, err := b.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	all(w)
	return nil
}

func all(w watch.Interface) {
	for event := range w.ResultChan() {
		each(event)
	}
}

// untilReady has one that returns before.
func (b *Behind) untilReady(ctx context.Context) error {
	w, err := b.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the watch stays open when untilReady returns.*\(ctxdone/watch\)`
	if err != nil {
		return err
	}
	first(w)
	return nil
}

func first(w watch.Interface) {
	for event := range w.ResultChan() {
		if ready(event) {
			return
		}
	}
}

// BehindTwo has helpers whose helpers do so.
type BehindTwo struct{ Reconciler }

// Reconcile calls them.
func (b *BehindTwo) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, errors.Join(b.untilClosed(ctx), b.untilReady(ctx))
}

// untilClosed has one that returns when the watch is closed: right.
func (b *BehindTwo) untilClosed(ctx context.Context) error {
	w, err := b.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	allOf(w)
	return nil
}

func allOf(w watch.Interface) { all(w) }

// untilReady has one that returns before.
func (b *BehindTwo) untilReady(ctx context.Context) error {
	w, err := b.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the watch stays open when untilReady returns.*\(ctxdone/watch\)`
	if err != nil {
		return err
	}
	firstOf(w)
	return nil
}

func firstOf(w watch.Interface) { first(w) }

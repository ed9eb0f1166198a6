package watch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Opener opens its watches in helpers.
type Opener struct{ Reconciler }

// Reconcile leaves one open each time that the pod becomes ready.
func (o *Opener) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	w, err := o.open(ctx, req.Namespace) // want `the watch stays open when Reconcile returns \(line \d+\), with its connection and goroutine, until the context ends; stop it in a defer`
	if err != nil {
		return ctrl.Result{}, err
	}
	for event := range w.ResultChan() {
		if ready(event) {
			return ctrl.Result{}, o.trapOfStop(ctx, req.Namespace)
		}
	}
	return ctrl.Result{}, o.trapOfShared(ctx)
}

func (o *Opener) open(ctx context.Context, namespace string) (watch.Interface, error) {
	return o.kube.CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{})
}

func (o *Opener) trapOfStop(ctx context.Context, namespace string) error {
	w, err := o.open(ctx, namespace)
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if ready(event) {
			return nil
		}
	}
	return check(ctx)
}

var shared watch.Interface

// The watch is everybody's.
func (o *Opener) trapOfShared(ctx context.Context) error {
	w, err := o.openOnce(ctx)
	if err != nil {
		return err
	}
	if event := <-w.ResultChan(); ready(event) {
		return nil
	}
	return check(ctx)
}

func (o *Opener) openOnce(ctx context.Context) (watch.Interface, error) {
	if shared == nil {
		w, err := o.open(ctx, "")
		if err != nil {
			return nil, err
		}
		shared = w
	}
	return shared, nil
}

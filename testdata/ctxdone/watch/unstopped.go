package watch

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Watches that are left open.

// Reconcile leaves one open each time that the pod becomes ready.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	w, err := r.client.Watch(ctx, &corev1.PodList{}, client.InNamespace(req.Namespace)) // want `the watch stays open when Reconcile returns \(line \d+\), with its connection and goroutine, until the context ends; stop it in a defer`
	if err != nil {
		return ctrl.Result{}, err
	}
	for event := range w.ResultChan() {
		if ready(event) {
			return ctrl.Result{}, nil
		}
	}
	return ctrl.Result{Requeue: true}, r.waitReady(ctx, req.Name)
}

// waitReady is called by Reconcile.
func (r *Reconciler) waitReady(ctx context.Context, name string) error {
	w, err := r.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the watch stays open when waitReady returns \(line \d+\), with its connection and goroutine, until the context ends`
	if err != nil {
		return err
	}
	if err := check(ctx); err != nil {
		return err
	}
	for event := range w.ResultChan() {
		if ready(event) {
			break
		}
	}
	w.Stop()
	return nil
}

// Reopened opens the next one and forgets the former.
func Reopened(ctx context.Context, r *Reconciler) error {
	for {
		w, err := r.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the watch stays open when the loop opens the next one`
		if err != nil {
			return err
		}
		for event := range w.ResultChan() {
			if ready(event) {
				break
			}
		}
	}
}

// ReopenedOnDeletion does so after an event of another type, too.
func ReopenedOnDeletion(ctx context.Context, r *Reconciler) error {
	for {
		w, err := r.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the watch stays open when the loop opens the next one`
		if err != nil {
			return err
		}
		for event := range w.ResultChan() {
			if event.Type == watch.Error || event.Type == watch.Deleted {
				break
			}
		}
	}
}

// EachVolume watches one after the other.
func EachVolume(ctx context.Context, r *Reconciler, names []string) error {
	for range names {
		w, err := r.kube.CoreV1().PersistentVolumes().Watch(ctx, metav1.ListOptions{}) // want `the watch stays open when the loop opens the next one`
		if err != nil {
			return err
		}
		event := <-w.ResultChan()
		if !ready(event) {
			continue
		}
		w.Stop()
	}
	return nil
}

// Handlers wait for each object that is added.
func (r *Reconciler) Handlers(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			w, err := r.kube.CoreV1().Pods("").Watch(r.ctx, metav1.ListOptions{}) // want `the watch stays open when Handlers returns \(line \d+\), with its connection and goroutine, until the context ends`
			if err != nil {
				return
			}
			for event := range w.ResultChan() {
				if ready(event) {
					return
				}
			}
		},
	})
	return err
}

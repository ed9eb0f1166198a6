// Package watch has watches that nothing ends, with clients of the time before
// generics.
package watch

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func ready(event watch.Event) bool { return event.Type == watch.Modified }

// RangeForEver goes on until the server has had enough.
func RangeForEver(c dynamic.Interface, gvr schema.GroupVersionResource) error {
	w, err := c.Resource(gvr).Watch(context.TODO(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() { // want `hygiene: nothing ends this loop at shutdown: the watch has a context that is never cancelled \(line \d+\); hand a context to RangeForEver and Watch`
		_ = ready(event)
	}
	return nil
}

// Reconciler waits for pods.
type Reconciler struct{ client client.WithWatch }

// Reconcile leaves a watch open each time that a pod becomes ready.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	w, err := r.client.Watch(ctx, &corev1.PodList{}, client.InNamespace(req.Namespace)) // want `the watch stays open when Reconcile returns`
	if err != nil {
		return ctrl.Result{}, err
	}
	for event := range w.ResultChan() {
		if ready(event) {
			return ctrl.Result{}, nil
		}
	}
	return ctrl.Result{}, r.tidy(ctx)
}

// tidy stops the watch.
func (r *Reconciler) tidy(ctx context.Context) error {
	w, err := r.client.Watch(ctx, &corev1.PodList{})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if ready(event) {
			return nil
		}
	}
	return nil
}

// Limited is right: the server ends the watch after a minute.
func Limited(kube kubernetes.Interface) error {
	minute := int64(60)
	w, err := kube.CoreV1().Pods("").Watch(context.TODO(), metav1.ListOptions{TimeoutSeconds: &minute})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		_ = ready(event)
	}
	return nil
}

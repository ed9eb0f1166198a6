// Package nestedtimeout sets deadlines that do not do what they say.
package nestedtimeout

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct {
	client.Client
	clients kubernetes.Interface
	http    *http.Server
}

func (r *reconciler) poll(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return wait.PollImmediateWithContext(ctx, time.Second, 5*time.Minute, func(ctx context.Context) (bool, error) { // want `the timeout of 5m never fires: ctx ends after 30s already \(line \d+\); make it shorter, or derive it from a context without that deadline.*nestedtimeout/never-fires`
		return pod.Status.Phase == corev1.PodRunning, r.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}

func (r *reconciler) optional(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	inner, cancelInner := watchtools.ContextWithOptionalTimeout(ctx, time.Minute) // want `the timeout of 1m never fires`
	defer cancelInner()
	return r.Update(inner, pod)
}

func (r *reconciler) overridden(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // want `the timeout of 10m never matters: its context only leads to one that ends after 1m \(line \d+\)`
	defer cancel()
	return wait.PollWithContext(ctx, time.Second, time.Minute, func(ctx context.Context) (bool, error) {
		return true, r.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}

func (r *reconciler) shrinking(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second) // want `all rounds together get the first 10s: each derives ctx from that of the round before.*nestedtimeout/shrinking`
		err := r.Status().Update(ctx, pod)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) shutdown(ctx context.Context) error {
	<-ctx.Done()
	shutdownCtx, cancel := context.WithTimeout(ctx, 5*time.Second) // want `the timeout of 5s is over before it begins: ctx has ended \(waited for on line \d+\).*nestedtimeout/already-done`
	defer cancel()
	return r.http.Shutdown(shutdownCtx)
}

func (r *reconciler) untilStopped(ctx context.Context, pod *corev1.Pod) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) { _ = r.Update(ctx, pod) }, time.Minute)
	return r.Status().Update(ctx, pod) // want `Update fails at once: ctx has ended \(waited for on line \d+\)`
}

func (r *reconciler) informer(ctx context.Context, informer cache.SharedIndexInformer, pod *corev1.Pod) error {
	informer.Run(ctx.Done())
	_, err := r.clients.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{}) // want `UpdateStatus fails at once: ctx has ended \(waited for on line \d+\)`
	return err
}

func (r *reconciler) watch(ctx context.Context) (watch.Interface, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return r.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the caller cannot use the watch: the context that it needs is cancelled before \(line \d+\).*nestedtimeout/cancelled-early`
}

func (r *reconciler) deferred(ctx context.Context, pods []*corev1.Pod) {
	for _, pod := range pods {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel() // want `nestedtimeout/defer-in-loop`
		_ = r.Update(ctx, pod)
	}
}

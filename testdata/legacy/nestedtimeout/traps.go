package nestedtimeout

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unlimited: a timeout of zero means none here.
func (r *reconciler) unlimited(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := watchtools.ContextWithOptionalTimeout(ctx, 0)
	defer cancel()
	inner, cancelInner := context.WithTimeout(ctx, time.Minute)
	defer cancelInner()
	return r.Update(inner, pod)
}

// pollWithoutLimit polls until the context ends.
func (r *reconciler) pollWithoutLimit(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return wait.PollWithContext(ctx, time.Second, 0, func(ctx context.Context) (bool, error) {
		return true, r.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}

// pollCallback has the context that the poller was given, without its timeout.
func (r *reconciler) pollCallback(ctx context.Context, pod *corev1.Pod) error {
	return wait.PollWithContext(ctx, time.Second, time.Minute, func(ctx context.Context) (bool, error) {
		inner, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		return true, r.Get(inner, client.ObjectKeyFromObject(pod), pod)
	})
}

// synced goes on when the caches are filled.
func (r *reconciler) synced(ctx context.Context, pod *corev1.Pod, synced cache.InformerSynced) error {
	if !cache.WaitForCacheSync(ctx.Done(), synced) {
		return ctx.Err()
	}
	return r.Update(ctx, pod)
}

// stopChannel is no context's.
func (r *reconciler) stopChannel(ctx context.Context, stop <-chan struct{}, pod *corev1.Pod) error {
	wait.Until(func() { _ = r.Update(ctx, pod) }, time.Minute, stop)
	return r.Status().Update(ctx, pod)
}

// events are handled while the function runs.
func (r *reconciler) events(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	w, err := r.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer w.Stop()
	for range w.ResultChan() {
	}
	return ctx.Err()
}

// rounds have a context each.
func (r *reconciler) rounds(ctx context.Context, pods []*corev1.Pod) {
	for _, pod := range pods {
		podCtx, cancel := context.WithTimeout(ctx, 10*time.Second)
		_ = r.Update(podCtx, pod)
		cancel()
	}
}

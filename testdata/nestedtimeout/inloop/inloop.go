// Package inloop defers cancel functions in loops.
package inloop

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type worker struct{ client.Client }

func (w *worker) each(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel() // want `hygiene: each round leaves its context behind until each returns, since the cancel is deferred in a loop; call it at the end of the round.*nestedtimeout/defer-in-loop`
		if err := w.Update(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) endless(ctx context.Context, pods <-chan *corev1.Pod) {
	for {
		select {
		case <-ctx.Done():
			return
		case pod := <-pods:
			updateCtx, cancel := context.WithCancel(ctx)
			defer cancel() // want `leak: each round leaves its context behind until endless returns, since the cancel is deferred in a loop`
			_ = w.Update(updateCtx, pod)
		}
	}
}

func (w *worker) literal(ctx context.Context, pods []*corev1.Pod) {
	for _, pod := range pods {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer func() { cancel() }() // want `defer-in-loop`
		_ = w.Update(ctx, pod)
	}
}

// finish ends what a round has begun.
func finish(name string, cancel context.CancelFunc) {
	cancel()
	klog.V(4).InfoS("done", "name", name)
}

func (w *worker) byHelper(ctx context.Context, pods []*corev1.Pod) {
	for _, pod := range pods {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer finish(pod.Name, cancel) // want `each round leaves its context behind until byHelper returns, since the cancel is deferred in a loop`
		_ = w.Update(ctx, pod)
	}
}

func (w *worker) trapOfHelper(ctx context.Context, pods []*corev1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer finish("all", cancel)
	for _, pod := range pods {
		_ = w.Update(ctx, pod)
	}
}

func (w *worker) inGoroutine(ctx context.Context, pods <-chan *corev1.Pod) {
	go func() {
		for pod := range pods {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel() // want `each round leaves its context behind until the function literal returns, since the cancel is deferred in a loop`
			_ = w.Update(ctx, pod)
		}
	}()
}

// Traps.

// perRound runs a literal for each round.
func (w *worker) perRound(ctx context.Context, pods []*corev1.Pod) {
	for _, pod := range pods {
		func() {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			_ = w.Update(ctx, pod)
		}()
	}
}

// perGoroutine starts a goroutine for each round.
func (w *worker) perGoroutine(ctx context.Context, pods []*corev1.Pod) {
	for _, pod := range pods {
		go func() {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			_ = w.Update(ctx, pod)
		}()
	}
}

// leaves the loop whatever happens.
func (w *worker) leaves(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		if pod.Name == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return w.Update(ctx, pod)
	}
	return nil
}

// called is called at the end of each round.
func (w *worker) called(ctx context.Context, pods []*corev1.Pod) {
	for _, pod := range pods {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		_ = w.Update(ctx, pod)
		cancel()
	}
}

// before the loop.
func (w *worker) before(ctx context.Context, pods []*corev1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, pod := range pods {
		_ = w.Update(ctx, pod)
	}
}

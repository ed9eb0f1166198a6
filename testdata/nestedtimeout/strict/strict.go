// Package strict holds what only the strict flag asks for.
package strict

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/nestedtimeout/crosspkg/lib"
)

type worker struct{ client.Client }

func (w *worker) share(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	getCtx, cancelGet := context.WithTimeout(ctx, 10*time.Second) // want `ctx has a timeout already \(line \d+\): this one counts only if it ends earlier; say which of the two is meant.*nestedtimeout/nested`
	defer cancelGet()
	if err := w.Get(getCtx, client.ObjectKeyFromObject(pod), pod); err != nil {
		return err
	}
	return w.Update(ctx, pod)
}

func (w *worker) unknown(ctx context.Context, pod *corev1.Pod, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if err := w.Update(ctx, pod); err != nil {
		return err
	}
	inner, cancelInner := context.WithTimeout(ctx, time.Minute) // want `nestedtimeout/nested`
	defer cancelInner()
	return w.Status().Update(inner, pod)
}

func (w *worker) update(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return w.Update(ctx, pod)
}

func (w *worker) callsUpdate(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // want `the timeout of 1m never matters: its context only leads to one that ends after 10s \(strict/strict.go:\d+\)`
	defer cancel()
	return w.update(ctx, pod)
}

func (w *worker) given(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := w.Update(ctx, pod); err != nil {
		return err
	}
	return lib.WaitForPod(ctx, w.Client, pod) // want `the timeout of 5m in WaitForPod \(lib/lib.go:\d+\) never fires: ctx ends after 1m \(line \d+\); give this call more time, or the function less.*nestedtimeout/never-fires`
}

// sibling has no timeout above it.
func (w *worker) sibling(ctx context.Context, pod *corev1.Pod) error {
	first, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := w.Update(first, pod); err != nil {
		return err
	}
	second, cancelSecond := context.WithTimeout(ctx, time.Minute)
	defer cancelSecond()
	return w.Status().Update(second, pod)
}

func (w *worker) merged(ctx context.Context, stop <-chan struct{}, pod *corev1.Pod) error {
	select {
	case <-stop:
	case <-ctx.Done():
	}
	return w.Delete(ctx, pod) // want `Delete may fail at once: ctx may have ended \(waited for on line \d+\); pass context\.WithoutCancel\(ctx\) with a timeout of its own.*nestedtimeout/already-done`
}

// left is over when the context has ended.
func (w *worker) left(ctx context.Context, stop <-chan struct{}, pod *corev1.Pod) error {
	select {
	case <-stop:
	case <-ctx.Done():
		return ctx.Err()
	}
	return w.Delete(ctx, pod)
}

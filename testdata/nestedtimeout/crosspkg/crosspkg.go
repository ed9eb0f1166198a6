// Package crosspkg calls helpers of another package.
package crosspkg

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/nestedtimeout/crosspkg/lib"
)

type worker struct{ client.Client }

func (w *worker) derived(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := lib.Short(ctx)
	defer cancel()
	inner, cancelInner := context.WithTimeout(ctx, 30*time.Second) // want `the timeout of 30s never fires: ctx ends after 5s already \(line \d+\)`
	defer cancelInner()
	return w.Update(inner, pod)
}

func (w *worker) blocked(ctx context.Context, pod *corev1.Pod) error {
	lib.Block(ctx)
	return lib.Finish(ctx, w.Client, pod) // want `Update in Finish \(lib/lib.go:\d+\) fails at once: ctx has ended \(waited for on line \d+\)`
}

func (w *worker) stopped(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithCancel(ctx)
	lib.Stop(cancel, "done")
	return w.Update(ctx, pod) // want `cancelled on line \d+`
}

func (w *worker) lent(ctx context.Context, url string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return lib.Fetch(ctx, url) // want `the caller cannot use the response's body: the context that it needs is cancelled before \(line \d+\)`
}

// Traps.

func (w *worker) enough(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := w.Update(ctx, pod); err != nil {
		return err
	}
	return lib.WaitForPod(ctx, w.Client, pod)
}

func (w *worker) detached(ctx context.Context, pod *corev1.Pod) error {
	lib.Block(ctx)
	return lib.Detached(ctx, w.Client, pod)
}

func (w *worker) long(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := w.Update(ctx, pod); err != nil {
		return err
	}
	short, cancelShort := lib.Short(ctx)
	defer cancelShort()
	return w.Status().Update(short, pod)
}

// over cancels, and ends the process, before it would use the context.
func (w *worker) over(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if pod.Name == "" {
		lib.Exit(cancel)
	}
	return w.Update(ctx, pod)
}

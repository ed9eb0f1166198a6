// Package shrinking derives timeouts from each other.
package shrinking

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type worker struct {
	client.Client
	timeout time.Duration
}

func (w *worker) loop(ctx context.Context, pods []*corev1.Pod) error {
	var cancel context.CancelFunc
	for _, pod := range pods {
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second) // want `all rounds together get the first 10s: each derives ctx from that of the round before; derive it from the context outside the loop.*nestedtimeout/shrinking`
		if err := w.Update(ctx, pod); err != nil {
			cancel()
			return err
		}
	}
	cancel()
	return nil
}

func (w *worker) retries(ctx context.Context, pod *corev1.Pod) (err error) {
	for range 3 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.timeout) // want `all rounds together get the first w\.timeout: each derives ctx from that of the round before`
		err = w.Update(ctx, pod)
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

func (w *worker) captured(ctx context.Context, pods []*corev1.Pod) error {
	var cancel context.CancelFunc
	update := func(pod *corev1.Pod) error { return w.Update(ctx, pod) }
	for _, pod := range pods {
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second) // want `all rounds together get the first 10s: each derives ctx from that of the round before`
		err := update(pod)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) withValue(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		var cancel context.CancelFunc
		ctx = context.WithValue(ctx, key{}, pod.Name)
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second) // want `all rounds together get the first 10s: each derives ctx from that of the round before`
		err := w.Update(ctx, pod)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

type key struct{}

func (w *worker) steps(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := w.Update(ctx, pod); err != nil {
		return err
	}
	ctx, cancelStatus := context.WithTimeout(ctx, 10*time.Second) // want `this step does not get 10s, but what is left of the 10s that ctx was given on line \d+; derive it from the context before that`
	defer cancelStatus()
	return w.Status().Update(ctx, pod)
}

func (w *worker) stepsOfField(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	if err := w.Update(ctx, pod); err != nil {
		return err
	}
	ctx, cancelStatus := context.WithTimeout(ctx, w.timeout) // want `this step does not get w\.timeout, but what is left of the w\.timeout that ctx was given on line \d+`
	defer cancelStatus()
	return w.Status().Update(ctx, pod)
}

// Traps.

// ownVariable is the round's own.
func (w *worker) ownVariable(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := w.Update(ctx, pod)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// fromParent uses one variable, but derives it anew.
func (w *worker) fromParent(parent context.Context, pods []*corev1.Pod) error {
	var ctx context.Context
	var cancel context.CancelFunc
	for _, pod := range pods {
		ctx, cancel = context.WithTimeout(parent, 10*time.Second)
		err := w.Update(ctx, pod)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// reset puts the variable back first.
func (w *worker) reset(parent context.Context, pods []*corev1.Pod) error {
	ctx := parent
	for _, pod := range pods {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
		err := w.Update(ctx, pod)
		cancel()
		if err != nil {
			return err
		}
		ctx = parent
	}
	return nil
}

// resetCaptured is the same with a captured variable.
func (w *worker) resetCaptured(parent context.Context, pods []*corev1.Pod) error {
	ctx := parent
	update := func(pod *corev1.Pod) error { return w.Update(ctx, pod) }
	for _, pod := range pods {
		var cancel context.CancelFunc
		ctx = parent
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
		err := update(pod)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// severed begins anew in each round.
func (w *worker) severed(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		err := w.Update(ctx, pod)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// once leaves the loop with it.
func (w *worker) once(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		if pod.DeletionTimestamp.IsZero() {
			continue
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return w.Update(ctx, pod)
	}
	return nil
}

// narrower steps are shares of what is left.
func (w *worker) narrower(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := w.Update(ctx, pod); err != nil {
		return err
	}
	ctx, cancelStatus := context.WithTimeout(ctx, 10*time.Second)
	defer cancelStatus()
	return w.Status().Update(ctx, pod)
}

// Package overridden sets timeouts that never matter.
package overridden

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type worker struct{ client.Client }

func (w *worker) onlyParent(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, time.Minute) // want `the timeout of 1m never matters: its context only leads to one that ends after 10s \(line \d+\); keep one of the two.*nestedtimeout/outer-overridden`
	defer cancel()
	inner, cancelInner := context.WithTimeout(outer, 10*time.Second)
	defer cancelInner()
	if err := w.Update(inner, pod); err != nil {
		return err
	}
	return w.Status().Update(inner, pod)
}

func (w *worker) sameName(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // want `the timeout of 1m never matters`
	defer cancel()
	ctx, cancelInner := context.WithDeadline(ctx, time.Now().Add(5*time.Second))
	defer cancelInner()
	return w.Update(ctx, pod)
}

func (w *worker) poll(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // want `the timeout of 10m never matters: its context only leads to one that ends after 1m \(line \d+\)`
	defer cancel()
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		return true, w.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}

// Traps.

// budget is used besides.
func (w *worker) budget(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	inner, cancelInner := context.WithTimeout(outer, 10*time.Second)
	defer cancelInner()
	if err := w.Update(inner, pod); err != nil {
		return err
	}
	return w.Status().Update(outer, pod)
}

// several share it.
func (w *worker) several(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	first, cancelFirst := context.WithTimeout(outer, 40*time.Second)
	defer cancelFirst()
	if err := w.Update(first, pod); err != nil {
		return err
	}
	second, cancelSecond := context.WithTimeout(outer, 40*time.Second)
	defer cancelSecond()
	return w.Status().Update(second, pod)
}

// rounds share it.
func (w *worker) rounds(ctx context.Context, pods []*corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, pod := range pods {
		inner, cancelInner := context.WithTimeout(outer, 10*time.Second)
		err := w.Update(inner, pod)
		cancelInner()
		if err != nil {
			return err
		}
	}
	return nil
}

// attempts share it, too.
func (w *worker) attempts(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return wait.PollUntilContextCancel(outer, time.Second, true, func(ctx context.Context) (bool, error) {
		attempt, cancelAttempt := context.WithTimeout(ctx, 5*time.Second)
		defer cancelAttempt()
		return w.Update(attempt, pod) == nil, nil
	})
}

// workBetween takes from the outer.
func (w *worker) workBetween(ctx context.Context, pod *corev1.Pod, prepare func()) error {
	outer, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	prepare()
	inner, cancelInner := context.WithTimeout(outer, 50*time.Second)
	defer cancelInner()
	return w.Update(inner, pod)
}

// unknown durations say nothing.
func (w *worker) unknown(ctx context.Context, pod *corev1.Pod, d time.Duration) error {
	outer, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	inner, cancelInner := context.WithTimeout(outer, d)
	defer cancelInner()
	return w.Update(inner, pod)
}

// update limits itself; its caller need not know.
func (w *worker) update(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return w.Update(ctx, pod)
}

func (w *worker) callsUpdate(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return w.update(ctx, pod)
}

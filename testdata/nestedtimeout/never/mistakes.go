// Package never sets timeouts that can never fire.
package never

import (
	"context"
	"errors"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct {
	client.Client
	timeout time.Duration
}

const (
	reconcileTimeout = 30 * time.Second
	podTimeout       = 2 * time.Minute
)

func (r *reconciler) innerLonger(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, reconcileTimeout)
	defer cancel()
	if err := r.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
		return err
	}
	podCtx, cancelPod := context.WithTimeout(ctx, podTimeout) // want `the timeout of 2m never fires: ctx ends after 30s already \(line \d+\); make it shorter, or derive it from a context without that deadline.*nestedtimeout/never-fires`
	defer cancelPod()
	return r.Update(podCtx, pod)
}

func (r *reconciler) equal(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := r.Update(outer, pod); err != nil {
		return err
	}
	inner, cancelInner := context.WithTimeout(outer, 60*time.Second) // want `the timeout of 1m never fires: outer ends after 1m already \(line \d+\)`
	defer cancelInner()
	return r.Status().Update(inner, pod)
}

func (r *reconciler) sameField(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	if err := r.Update(outer, pod); err != nil {
		return err
	}
	inner, cancelInner := context.WithTimeout(outer, r.timeout) // want `the timeout of r\.timeout never fires: outer has the same one already \(line \d+\)`
	defer cancelInner()
	return r.Status().Update(inner, pod)
}

func (r *reconciler) deadline(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithDeadline(ctx, time.Now().Add(10*time.Second))
	defer cancel()
	if err := r.Update(outer, pod); err != nil {
		return err
	}
	inner, cancelInner := context.WithTimeoutCause(outer, time.Minute, errors.New("slow")) // want `the timeout of 1m never fires: outer ends after 10s already \(line \d+\)`
	defer cancelInner()
	return r.Status().Update(inner, pod)
}

func (r *reconciler) innerDeadline(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := r.Update(outer, pod); err != nil {
		return err
	}
	inner, cancelInner := context.WithDeadline(outer, time.Now().Add(20*time.Second)) // want `the timeout of 20s never fires: outer ends after 10s already \(line \d+\)`
	defer cancelInner()
	return r.Status().Update(inner, pod)
}

func (r *reconciler) poll(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return wait.PollUntilContextTimeout(ctx, time.Second, 5*time.Minute, true, func(ctx context.Context) (bool, error) { // want `the timeout of 5m never fires: ctx ends after 30s already \(line \d+\)`
		return pod.Status.Phase == corev1.PodRunning, r.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}

func (r *reconciler) insidePoll(ctx context.Context, pod *corev1.Pod) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, 10*time.Second, true, func(ctx context.Context) (bool, error) {
		getCtx, cancel := context.WithTimeout(ctx, time.Minute) // want `the timeout of 1m never fires: ctx ends after 10s already \(line \d+\)`
		defer cancel()
		return true, r.Get(getCtx, client.ObjectKeyFromObject(pod), pod)
	})
}

func (r *reconciler) value(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ctx = context.WithValue(ctx, key{}, pod.Name)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	inner, cancelInner := context.WithTimeout(ctx, 15*time.Second) // want `the timeout of 15s never fires`
	defer cancelInner()
	return r.Update(inner, pod)
}

type key struct{}

func (r *reconciler) inLiteral(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	update := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		return r.Update(ctx, pod)
	}
	done := make(chan error, 1)
	go func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, time.Hour) // want `the timeout of 1h never fires: ctx ends after 10s already \(line \d+\)`
		defer cancel()
		done <- r.Update(ctx, pod)
	}(ctx)
	if err := update(context.Background()); err != nil {
		return err
	}
	return <-done
}

func (r *reconciler) either(ctx context.Context, pod *corev1.Pod, long bool) error {
	var cancel context.CancelFunc
	if long {
		ctx, cancel = context.WithTimeout(ctx, 20*time.Second)
	} else {
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
	}
	defer cancel()
	inner, cancelInner := context.WithTimeout(ctx, 30*time.Second) // want `the timeout of 30s never fires: ctx ends after 20s already \(line \d+\)`
	defer cancelInner()
	return r.Update(inner, pod)
}

func httpClient(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	c := &http.Client{Timeout: 30 * time.Second}
	resp, err := c.Do(req) // want `the timeout of 30s never fires: the context ends after 5s already \(line \d+\)`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 10*time.Second)
}

func (r *reconciler) helperAround(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	inner, cancelInner := context.WithTimeout(ctx, 15*time.Second) // want `the timeout of 15s never fires: ctx ends after 10s already \(line \d+\)`
	defer cancelInner()
	return r.Update(inner, pod)
}

func (r *reconciler) waitForPod(ctx context.Context, pod *corev1.Pod) error {
	return wait.PollUntilContextTimeout(ctx, time.Second, 5*time.Minute, true, func(ctx context.Context) (bool, error) {
		return pod.Status.Phase == corev1.PodRunning, r.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}

func (r *reconciler) throughCall(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := r.Update(ctx, pod); err != nil {
		return err
	}
	return r.waitForPod(ctx, pod) // want `the timeout of 5m in waitForPod \(never/mistakes.go:\d+\) never fires: ctx ends after 1m \(line \d+\); give this call more time, or the function less`
}

// polled polls, after some work, for as long as all of it may take.
func (r *reconciler) polled(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	if err := r.Update(outer, pod); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(outer, time.Second, r.timeout, true, func(ctx context.Context) (bool, error) { // want `the timeout of r\.timeout never fires: outer has the same one already \(line \d+\)`
		return true, r.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}

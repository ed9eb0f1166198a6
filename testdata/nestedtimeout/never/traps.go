package never

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// share is shorter than the budget.
func (r *reconciler) share(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	getCtx, cancelGet := context.WithTimeout(ctx, 10*time.Second)
	defer cancelGet()
	if err := r.Get(getCtx, client.ObjectKeyFromObject(pod), pod); err != nil {
		return err
	}
	return r.Update(ctx, pod)
}

// siblings have nothing to do with each other.
func (r *reconciler) siblings(ctx context.Context, pod *corev1.Pod) error {
	getCtx, cancelGet := context.WithTimeout(ctx, 10*time.Second)
	defer cancelGet()
	if err := r.Get(getCtx, client.ObjectKeyFromObject(pod), pod); err != nil {
		return err
	}
	updateCtx, cancelUpdate := context.WithTimeout(ctx, time.Minute)
	defer cancelUpdate()
	return r.Update(updateCtx, pod)
}

// rerooted begins anew.
func (r *reconciler) rerooted(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := r.Update(ctx, pod); err != nil {
		cleanup, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer stop()
		return r.Delete(cleanup, pod)
	}
	fresh, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	return r.Delete(fresh, pod)
}

// optional has an outer timeout on one way only.
func (r *reconciler) optional(ctx context.Context, pod *corev1.Pod, hurry bool) error {
	if hurry {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
	}
	inner, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return r.Update(inner, pod)
}

// optionalCaptured is the same, with the variable captured by a literal.
func (r *reconciler) optionalCaptured(ctx context.Context, pod *corev1.Pod, hurry bool) error {
	if hurry {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
	}
	update := func() error {
		inner, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		return r.Update(inner, pod)
	}
	return update()
}

// unknown depends on what is configured.
func (r *reconciler) unknown(ctx context.Context, pod *corev1.Pod, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	inner, cancelInner := context.WithTimeout(ctx, time.Minute)
	defer cancelInner()
	return r.Update(inner, pod)
}

// unknownDeadline comes from elsewhere.
func (r *reconciler) unknownDeadline(ctx context.Context, pod *corev1.Pod, until time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	inner, cancelInner := context.WithTimeout(ctx, time.Minute)
	defer cancelInner()
	return r.Update(inner, pod)
}

// attempts share a budget.
func (r *reconciler) attempts(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		return r.Update(attempt, pod) == nil, nil
	})
}

// noTimeout: a client's timeout of zero means none.
func noTimeout(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Timeout: 0}).Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// shortClient limits one request within the budget.
func shortClient(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// waitForNode has a timeout for those of its callers who set none.
func (r *reconciler) waitForNode(ctx context.Context, node *corev1.Node) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return r.Get(ctx, client.ObjectKeyFromObject(node), node)
}

func (r *reconciler) hurried(ctx context.Context, node *corev1.Node) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := r.Update(ctx, node); err != nil {
		return err
	}
	return r.waitForNode(ctx, node)
}

func (r *reconciler) patient(ctx context.Context, node *corev1.Node) error {
	return r.waitForNode(ctx, node)
}

// changed sets the field in between.
func (r *reconciler) changed(ctx context.Context, pod *corev1.Pod) error {
	outer, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	r.timeout /= 2
	inner, cancelInner := context.WithTimeout(outer, r.timeout)
	defer cancelInner()
	return r.Update(inner, pod)
}

// sameTime sets both at the same time: each is what it says.
func (r *reconciler) sameTime(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	return wait.PollUntilContextTimeout(ctx, time.Second, r.timeout, true, func(ctx context.Context) (bool, error) {
		return true, r.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}

// sameTimeBehind does so after a call that takes no time.
func (r *reconciler) sameTimeBehind(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	key := keyOf(pod)
	return wait.PollUntilContextTimeout(ctx, time.Second, r.timeout, true, func(ctx context.Context) (bool, error) {
		return true, r.Get(ctx, key, pod)
	})
}

func keyOf(pod *corev1.Pod) client.ObjectKey {
	return client.ObjectKey{Namespace: pod.Namespace, Name: "node-" + pod.Spec.NodeName}
}

// WaitForNode may have other callers, for whom its timeout is there.
func (r *reconciler) WaitForNode(ctx context.Context, node *corev1.Node) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return r.Get(ctx, client.ObjectKeyFromObject(node), node)
}

func (r *reconciler) exported(ctx context.Context, node *corev1.Node) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := r.Update(ctx, node); err != nil {
		return err
	}
	return r.WaitForNode(ctx, node)
}

// detach does not derive from its argument.
func detach(_ context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Minute)
}

func (r *reconciler) detached(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := r.Update(ctx, pod); err != nil {
		cleanup, stop := detach(ctx)
		defer stop()
		return r.Delete(cleanup, pod)
	}
	return nil
}

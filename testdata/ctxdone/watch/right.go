package watch

import (
	"context"
	"errors"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What looks like the mistake, and is right.

// Tidy has the cases below called for each request.
type Tidy struct{ Reconciler }

// Reconcile calls them.
func (t *Tidy) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	_, err := t.handedOut(ctx)
	return ctrl.Result{}, errors.Join(err, t.deferred(ctx), t.onEachWay(ctx), t.ownContext(ctx), t.ownTimeout(ctx), t.untilClosed(ctx),
		t.replaced(ctx), t.byHelper(ctx), t.untilWithoutRetry(ctx), t.kept(ctx), t.inALiteral(ctx), t.untilDone(ctx), t.askedErr(ctx))
}

func (t *Tidy) deferred(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if ready(event) {
			return nil
		}
	}
	return check(ctx)
}

func (t *Tidy) onEachWay(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	select {
	case <-w.ResultChan():
		w.Stop()
		return nil
	case <-ctx.Done():
		w.Stop()
		return ctx.Err()
	}
}

func (t *Tidy) ownContext(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		if ready(event) {
			return nil
		}
	}
	return nil
}

func (t *Tidy) ownTimeout(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	w, err := t.client.Watch(ctx, &corev1.PodList{})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		if ready(event) {
			return nil
		}
	}
	return nil
}

// untilClosed goes on until the server, or the end of the context, has closed
// the watch.
func (t *Tidy) untilClosed(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		each(event)
	}
	return nil
}

// replaced opens a new one when the old one is closed.
func (t *Tidy) replaced(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer func() {
		if w != nil {
			w.Stop()
		}
	}()
	for {
		select {
		case event, ok := <-w.ResultChan():
			if ok {
				if ready(event) {
					return nil
				}
				continue
			}
			w.Stop()
			if w, err = t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func consume(w watch.Interface) bool {
	defer w.Stop()
	for event := range w.ResultChan() {
		if ready(event) {
			return true
		}
	}
	return false
}

func (t *Tidy) byHelper(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	consume(w)
	return nil
}

// untilWithoutRetry hands it to a function that stops it.
func (t *Tidy) untilWithoutRetry(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	_, err = watchtools.UntilWithoutRetry(ctx, w, func(event watch.Event) (bool, error) { return ready(event), nil })
	return err
}

// kept is stopped by who finds it there.
func (t *Tidy) kept(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	t.open = w
	for event := range w.ResultChan() {
		if ready(event) {
			return nil
		}
	}
	return nil
}

// handedOut is stopped by who asked for it.
func (t *Tidy) handedOut(ctx context.Context) (watch.Interface, error) {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	if err := check(ctx); err != nil {
		return w, err
	}
	return w, nil
}

// inALiteral stops it in a deferred function.
func (t *Tidy) inALiteral(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer func() { w.Stop() }()
	for event := range w.ResultChan() {
		if ready(event) {
			return nil
		}
	}
	return nil
}

// untilDone leaves with the context with which the watch was opened.
func (t *Tidy) untilDone(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for {
		select {
		case event, ok := <-w.ResultChan():
			if !ok {
				return nil
			}
			each(event)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// askedErr asks the context in another way.
func (t *Tidy) askedErr(ctx context.Context) error {
	w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		each(event)
	}
	return nil
}

// ServeHTTP has a context that ends with the request.
func (t *Tidy) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	w, err := t.kube.CoreV1().Pods("").Watch(req.Context(), metav1.ListOptions{})
	if err != nil {
		return
	}
	for event := range w.ResultChan() {
		if ready(event) {
			rw.WriteHeader(http.StatusOK)
			return
		}
	}
}

// ListWatch opens watches for a reflector, which stops them.
func ListWatch(kube kubernetes.Interface) cache.ListerWatcher {
	return &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return kube.CoreV1().Pods("").List(context.Background(), options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return kube.CoreV1().Pods("").Watch(context.Background(), options)
		},
	}
}

// Fake is a watch in memory.
func Fake() {
	w := watch.NewFake()
	for event := range w.ResultChan() {
		each(event)
	}
}

// Once leaves a watch open, as long as its caller's context lasts: that may
// well be soon.
func Once(ctx context.Context, c client.WithWatch) error {
	w, err := c.Watch(ctx, &corev1.PodList{})
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		if ready(event) {
			return nil
		}
	}
	return nil
}

// reconnected leaves the events early only after an error, which is the last one: the
// server closes the stream then.
func (t *Tidy) reconnected(ctx context.Context) error {
	for {
		w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for event := range w.ResultChan() {
			if event.Type == watch.Error {
				break
			}
			ready(event)
		}
	}
}

// reconnectedByHelper does so in a function of its own.
func (t *Tidy) reconnectedByHelper(ctx context.Context) error {
	for {
		w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		untilError(w)
	}
}

func untilError(w watch.Interface) {
	for event := range w.ResultChan() {
		if event.Type == watch.Error {
			return
		}
		ready(event)
	}
}

// reconnectedByLiteral opens it in a literal.
func (t *Tidy) reconnectedByLiteral(ctx context.Context) error {
	open := func() (watch.Interface, error) { return t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) }
	for {
		w, err := open()
		if err != nil {
			return err
		}
		for event := range w.ResultChan() {
			if event.Type == watch.Error {
				break
			}
			ready(event)
		}
	}
}

// reconnectedInLiterals receives in one as well.
func (t *Tidy) reconnectedInLiterals(ctx context.Context) error {
	for {
		w, err := t.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		receive := func() {
			for event := range w.ResultChan() {
				if event.Type == watch.Error {
					break
				}
				ready(event)
			}
		}
		receive()
	}
}

// carried stops the watch of the round before, if there is one.
func (t *Tidy) carried(ctx context.Context, down <-chan struct{}) {
	var w watch.Interface
	var err error
	var events <-chan watch.Event
	for {
		select {
		case event := <-events:
			each(event)
		case <-ctx.Done():
			return
		case <-down:
			if w != nil {
				w.Stop()
			}
			if w, err = t.kube.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{}); err == nil {
				events = w.ResultChan()
			}
		}
	}
}

// UntilFound tries the names one after the other and leaves with the first one's watch open: one,
// for as long as the context lasts.
func UntilFound(ctx context.Context, r *Reconciler, names []string) error {
	for range names {
		w, err := r.kube.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		if event := <-w.ResultChan(); ready(event) {
			return nil
		}
		w.Stop()
	}
	return nil
}

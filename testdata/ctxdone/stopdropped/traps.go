package stopdropped

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// passed gives its context on: not a finding.
func passed(ctx context.Context, stopCh <-chan struct{}, informer cache.SharedInformer, work func()) error {
	go informer.Run(stopCh)
	go wait.Until(work, time.Second, ctx.Done())
	go wait.UntilWithContext(ctx, func(context.Context) { work() }, time.Second)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	return wait.PollUntilContextCancel(wait.ContextForChannel(stopCh), time.Second, true, func(context.Context) (bool, error) { return true, nil })
}

// nothingAtHand has no choice: not a finding.
func nothingAtHand(factory informers.SharedInformerFactory, work func()) {
	factory.Start(wait.NeverStop)
	wait.Until(work, time.Second, wait.NeverStop)
}

// gives up soon by itself: not a finding.
func soon(ctx context.Context, ready func() (bool, error)) error {
	if err := wait.PollImmediate(100*time.Millisecond, 2*time.Second, ready); err != nil {
		return err
	}
	return wait.ExponentialBackoff(wait.Backoff{Duration: 10 * time.Millisecond, Factor: 2, Steps: 5}, ready)
}

// shortTime gives up soon because of its own deadline: not a finding.
func shortTime(ctx context.Context, ready func(context.Context) (bool, error)) error {
	pollCtx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return wait.PollUntilContextCancel(pollCtx, 100*time.Millisecond, true, ready)
}

// standard goes on for an instant, as far as can be told: not a finding.
func standard(ctx context.Context, ready func() (bool, error)) error {
	return wait.ExponentialBackoff(retry.DefaultBackoff, ready)
}

// heeds asks in its condition whether the context has ended: not a finding.
func heeds(ctx context.Context, ready func() (bool, error)) error {
	return wait.PollInfinite(time.Second, func() (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		return ready()
	})
}

// afterwards waits for what is left to do: not a finding.
func afterwards(ctx context.Context, idle func() (bool, error)) {
	<-ctx.Done()
	_ = wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, func(context.Context) (bool, error) { return idle() })
}

// deferred cleans up: not a finding.
func deferred(ctx context.Context, gone func(context.Context) (bool, error), work func(context.Context)) {
	defer wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, gone)
	work(ctx)
}

// closes its channel when it is done: not a finding.
func closes(ctx context.Context, informer cache.SharedInformer, work func(context.Context)) {
	stop := make(chan struct{})
	defer close(stop)
	go informer.Run(stop)
	work(ctx)
}

// handsOut lets others close the channel: not a finding.
func handsOut(ctx context.Context, informer cache.SharedInformer) chan struct{} {
	stop := make(chan struct{})
	go informer.Run(stop)
	return stop
}

// cancels its own context when the channel is closed: not a finding.
func cancels(stopCh <-chan struct{}, mgr manager.Manager) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-stopCh
		cancel()
	}()
	return mgr.Start(ctx)
}

// watcher starts an informer that outlives the reconcile: not a finding here.
type watcher struct {
	factory informers.SharedInformerFactory
}

func (w *watcher) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	w.factory.Start(wait.NeverStop)
	go wait.Until(func() {}, time.Minute, wait.NeverStop)
	return ctrl.Result{}, nil
}

// begin has the context of a call that only starts something: not a finding.
func begin(ctx context.Context, factory informers.SharedInformerFactory, list func(context.Context) error) error {
	if err := list(ctx); err != nil {
		return err
	}
	factory.Start(wait.NeverStop)
	return nil
}

// dynamic has informers with a context of their own.
type dynamic struct {
	context context.Context
	cancel  context.CancelFunc
}

type restore struct{ informers *dynamic }

// ofAnother could reach the context of another component only: not a finding.
func (r *restore) ofAnother(ready func(context.Context) (bool, error)) error {
	return wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, ready)
}

// blank is silenced with a reason.
func blank(ctx context.Context, work func()) {
	//lint:ignore ctxdone the process ends with its pod
	wait.Until(work, time.Second, wait.NeverStop)
}

// whileItRuns cancels what it has started when it returns: not a finding.
func whileItRuns(ctx context.Context, informer cache.SharedInformer, work func(context.Context)) {
	informerCtx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go informer.Run(informerCtx.Done())
	work(ctx)
}

// launch has the context of the call, not of what it launches: not a finding.
func launch(ctx context.Context, c *component, prepare func(context.Context) error) error {
	if err := prepare(ctx); err != nil {
		return err
	}
	go c.Start(context.Background())
	return nil
}

// system has a context that never ends: passing it changes nothing.
type system struct {
	ctx  context.Context
	name string
}

func newSystem(name string) *system { return &system{ctx: context.TODO(), name: name} }

func (s *system) waitReady(ready func() (bool, error)) error {
	return wait.PollInfinite(time.Second, ready)
}

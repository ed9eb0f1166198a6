// Package stopdropped passes on what never ends although a context or stop
// channel is at hand, and does it right.
package stopdropped

import (
	"context"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// poll takes no context.
func poll(ctx context.Context, ready func() (bool, error)) error {
	return wait.Poll(time.Second, time.Minute, func() (bool, error) { // want `hygiene: wait\.Poll goes on until its timeout when ctx has ended: it takes no context; use wait\.PollUntilContextTimeout with ctx.*ctxdone/stop-dropped`
		return ready()
	})
}

// pollImmediate takes no context either, and asks at once.
func pollImmediate(ctx context.Context, timeout time.Duration, ready func() (bool, error)) error {
	return wait.PollImmediate(time.Second, timeout, func() (bool, error) { // want `hygiene: wait\.PollImmediate goes on until its timeout when ctx has ended: it takes no context`
		return ready()
	})
}

// pollInfinite never gives up.
func pollInfinite(ctx context.Context, ready func() (bool, error)) error {
	return wait.PollInfinite(time.Second, func() (done bool, err error) { // want `hygiene: wait\.PollInfinite goes on forever when ctx has ended: it takes no context; use wait\.PollUntilContextCancel with ctx`
		return ready()
	})
}

// pollFunc has a condition that is no literal: no fix.
func pollFunc(ctx context.Context, ready func() (bool, error)) error {
	return wait.PollImmediateInfinite(time.Second, ready) // want `hygiene: wait\.PollImmediateInfinite goes on forever when ctx has ended: it takes no context`
}

// detached polls under the background although it has a context.
func detached(ctx context.Context, ready func() (bool, error)) error {
	return wait.PollUntilContextTimeout(context.Background(), time.Second, time.Minute, true, func(context.Context) (bool, error) { // want `hygiene: wait\.PollUntilContextTimeout goes on until its timeout when ctx has ended: it is given context\.Background\(\); pass ctx`
		return ready()
	})
}

// migrated has lost its stop channel on the way to the pollers with a context:
// no fix.
func migrated(stopCh <-chan struct{}, ready func() bool) {
	_ = wait.PollUntilContextCancel(context.Background(), 5*time.Second, true, func(context.Context) (bool, error) { // want `hygiene: wait\.PollUntilContextCancel goes on forever when stopCh has ended: it is given context\.Background\(\); pass wait\.ContextForChannel\(stopCh\)`
		return ready(), nil
	})
}

// until runs its loops for ever.
func until(ctx context.Context, stopCh <-chan struct{}, work func()) {
	go wait.Until(work, time.Second, ctx.Done())
	go wait.Until(work, time.Second, wait.NeverStop) // want `hygiene: wait\.Until goes on forever when ctx has ended: it is given wait\.NeverStop; pass ctx\.Done\(\)`
	wait.Forever(work, time.Minute)                  // want `hygiene: wait\.Forever goes on forever when ctx has ended: it takes no context; use wait\.UntilWithContext with ctx`
}

// run starts the informers for ever and its own loop until its context ends.
func run(ctx context.Context, factory informers.SharedInformerFactory, synced cache.InformerSynced) {
	factory.Start(wait.NeverStop)                               // want `hygiene: Start goes on forever when ctx has ended: it is given wait\.NeverStop`
	if !cache.WaitForCacheSync(context.TODO().Done(), synced) { // want `hygiene: cache\.WaitForCacheSync goes on forever when ctx has ended: it is given context\.TODO\(\)`
		return
	}
	<-ctx.Done()
}

// neverClosed makes a channel that nobody closes.
func neverClosed(stopCh <-chan struct{}, informer cache.SharedInformer) {
	stop := make(chan struct{})
	go informer.Run(stop) // want `hygiene: Run goes on forever when stopCh has ended: it is given a channel that nobody closes`
	<-stopCh
}

// nilChannel blocks for ever.
func nilChannel(stopCh <-chan struct{}, informer cache.SharedInformer) {
	informer.Run(nil) // want `hygiene: Run goes on forever when stopCh has ended: it is given nil`
}

// controller keeps its stop channel.
type controller struct {
	stopCh <-chan struct{}
	synced cache.InformerSynced
}

func (c *controller) start(work func()) {
	if !cache.WaitForCacheSync(wait.NeverStop, c.synced) { // want `hygiene: cache\.WaitForCacheSync goes on forever when c\.stopCh has ended: it is given wait\.NeverStop; pass c\.stopCh`
		return
	}
	go wait.Until(work, time.Second, wait.NeverStop) // want `hygiene: wait\.Until goes on forever when c\.stopCh has ended: it is given wait\.NeverStop`
}

// managed starts a manager that nothing stops.
func managed(ctx context.Context, mgr manager.Manager) error {
	return mgr.Start(context.Background()) // want `hygiene: Start goes on forever when ctx has ended: it is given context\.Background\(\)`
}

// elected never gives its leadership up.
func elected(ctx context.Context, config leaderelection.LeaderElectionConfig) {
	leaderelection.RunOrDie(context.TODO(), config) // want `hygiene: leaderelection\.RunOrDie goes on forever when ctx has ended: it is given context\.TODO\(\)`
}

// untilAnswer goes on for years.
var untilAnswer = wait.Backoff{Duration: time.Second, Steps: math.MaxInt32}

// backOff goes on for very long.
func backOff(ctx context.Context, ready func() (bool, error)) error {
	return wait.ExponentialBackoff(untilAnswer, func() (bool, error) { // want `hygiene: wait\.ExponentialBackoff goes on until its timeout when ctx has ended: it takes no context`
		return ready()
	})
}

// Reconciler polls in its reconcile.
type Reconciler struct {
	client.Client
	informer cache.SharedInformer
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	err := wait.PollImmediate(time.Second, 10*time.Minute, func() (bool, error) { // want `hygiene: wait\.PollImmediate goes on until its timeout when ctx has ended: it takes no context; use wait\.PollUntilContextTimeout with ctx`
		return r.informer.HasSynced(), nil
	})
	return ctrl.Result{}, err
}

// bounded ends by a timeout, but too late.
func bounded(ctx context.Context, ready func() (bool, error)) error {
	pollCtx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return wait.PollUntilContextCancel(pollCtx, time.Second, true, func(context.Context) (bool, error) { return ready() }) // want `hygiene: wait\.PollUntilContextCancel goes on until its timeout when ctx has ended: it is given context\.Background\(\); derive it from ctx`
}

// cancelledLate cancels its own context when it returns, which is too late.
func cancelledLate(ctx context.Context, ready func(context.Context) (bool, error)) error {
	pollCtx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return wait.PollUntilContextCancel(pollCtx, time.Second, true, ready) // want `hygiene: wait\.PollUntilContextCancel goes on forever when ctx has ended: it is given context\.Background\(\); derive it from ctx`
}

// component is something that runs.
type component struct{}

func (c *component) Start(ctx context.Context) error { <-ctx.Done(); return nil }

// supervise starts a component that goes on when it has ended itself.
func supervise(ctx context.Context, c *component) {
	go c.Start(context.Background()) // want `hygiene: Start goes on forever when ctx has ended: it is given context\.Background\(\); pass ctx`
	<-ctx.Done()
}

// Package sleep has pauses that listen to nothing while a context is at hand,
// and those that are right.
package sleep

import (
	"context"
	"errors"
	"math/rand"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ctxdone/sleep/lib"
)

var errNotReady = errors.New("not ready")

// Reconciler sleeps in its reconcile and in what that calls.
type Reconciler struct {
	client.Client
	clock clock.Clock
	mu    sync.Mutex
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, err
	}
	if backup.Status.Phase == "" {
		time.Sleep(10 * time.Second) // want `Reconcile sleeps for 10s and holds a worker; return and requeue with RequeueAfter.*ctxdone/sleep`
	}
	if err := r.expand(ctx, &backup); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.settle(&backup); err != nil {
		return ctrl.Result{}, err
	}
	r.pauseBriefly()
	r.locked(ctx)
	r.watchChecked(ctx)
	if err := lib.Retry(3, 5*time.Second, func() error { return r.Update(ctx, &backup) }); err != nil { // want `hygiene: Retry \(from Reconcile\) sleeps for 5s in each round of a loop \(lib/lib\.go:\d+\) and holds a worker`
		return ctrl.Result{}, err
	}
	// A helper's pause is reported once in a package; how often it sleeps is not known.
	return ctrl.Result{}, lib.Retry(3, 5*time.Second, func() error { return r.Delete(ctx, &backup) })
}

// expand polls without asking whether its context has ended.
func (r *Reconciler) expand(ctx context.Context, backup *v1.Backup) error {
	for range 30 {
		if err := r.Get(ctx, client.ObjectKeyFromObject(backup), backup); err == nil && backup.Status.Phase == "Done" {
			return nil
		}
		time.Sleep(5 * time.Second) // want `stuck: expand \(from Reconcile\) sleeps for up to 2m30s in a loop and holds a worker; return and requeue with RequeueAfter`
	}
	return errNotReady
}

// settle has no context of its own, but holds the worker.
func (r *Reconciler) settle(backup *v1.Backup) error {
	<-time.After(2 * time.Second) // want `settle \(from Reconcile\) waits for a timer of 2s and holds a worker`
	return nil
}

// pauseBriefly is short and happens once: not a finding.
func (r *Reconciler) pauseBriefly() {
	time.Sleep(200 * time.Millisecond)
	time.Sleep(time.Duration(rand.Intn(500)) * time.Millisecond)
}

// locked could not return in the middle: no fix.
func (r *Reconciler) locked(ctx context.Context) {
	r.mu.Lock()
	time.Sleep(3 * time.Second) // want `locked \(from Reconcile\) sleeps for 3s and holds a worker`
	r.mu.Unlock()
}

// watchChecked asks in each round, and soon enough: not a finding.
func (r *Reconciler) watchChecked(ctx context.Context) {
	for range 10 {
		if ctx.Err() != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// waitReady has a context, whoever calls it.
func waitReady(ctx context.Context, c client.Client, backup *v1.Backup) (bool, *v1.Backup, error) {
	for range 360 {
		if err := c.Get(ctx, client.ObjectKeyFromObject(backup), backup); err == nil {
			return true, backup, nil
		}
		time.Sleep(10 * time.Second) // want `waitReady sleeps for up to 1h in a loop and ignores ctx: shutdown waits for it; wait in a select with ctx\.Done\(\).*ctxdone/sleep`
	}
	return false, nil, errNotReady
}

// manyTries counts, too.
func manyTries(ctx context.Context, done func() bool) {
	for i := 1; i <= 10; i++ {
		if done() {
			return
		}
		time.Sleep(time.Second) // want `manyTries sleeps for up to 10s in a loop and ignores ctx: shutdown waits for it`
	}
}

// waitTimer waits for the channel of a timer.
func waitTimer(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C // want `waitTimer waits for a timer and ignores ctx: shutdown waits for it`
	return nil
}

// waitJittered has a duration with a random part.
func waitJittered(ctx context.Context) {
	time.Sleep(wait.Jitter(10*time.Second, 0.5)) // want `waitJittered sleeps for 15s and ignores ctx: shutdown waits for it`
}

// waitOnClock sleeps on a clock: no fix.
func waitOnClock(ctx context.Context, c clock.Clock) {
	c.Sleep(time.Minute) // want `waitOnClock sleeps for 1m and ignores ctx: shutdown waits for it`
}

// backOff asks in each round, but sleeps for minutes.
func backOff(stopCh <-chan struct{}, backoff wait.Backoff, work func() error) {
	for {
		select {
		case <-stopCh:
			return
		default:
		}
		if work() == nil {
			return
		}
		time.Sleep(backoff.Step()) // want `backOff sleeps in each round of a loop and ignores stopCh: shutdown waits for it; wait in a select with stopCh`
	}
}

// longRounds asks in each round, but these are long.
func longRounds(ctx context.Context, done func() bool) error {
	for !done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(time.Minute) // want `longRounds sleeps for 1m in each round of a loop and ignores ctx: shutdown waits for it`
	}
	return nil
}

// unnamed does not name its context: no fix.
func unnamed(_ context.Context) {
	time.Sleep(5 * time.Second) // want `unnamed sleeps for 5s and ignores its context parameter: shutdown waits for it; wait in a select with the context's Done`
}

// inDefer would not do what follows if it returned: no fix.
func inDefer(ctx context.Context, c client.Client, backup *v1.Backup) {
	defer func() {
		time.Sleep(5 * time.Second) // want `the function literal sleeps for 5s and ignores ctx: shutdown waits for it`
		_ = c.Delete(ctx, backup)
	}()
}

// retry has the context that its back-off ignores.
func retry(ctx context.Context, work func(context.Context) error) error {
	for n := range 5 {
		if err := work(ctx); err == nil {
			return nil
		}
		delay(n)
	}
	return errNotReady
}

func delay(n int) {
	time.Sleep(time.Duration(1<<n) * time.Second) // want `delay sleeps and ignores ctx of retry: shutdown waits for it; hand it on, and wait in a select with it`
}

// firstOf returns a value of a type parameter.
func firstOf[T any](ctx context.Context, get func() (T, bool)) (T, error) {
	for range 10 {
		if v, ok := get(); ok {
			return v, nil
		}
		time.Sleep(2 * time.Second) // want `firstOf sleeps for up to 20s in a loop and ignores ctx: shutdown waits for it`
	}
	return get0[T](), errNotReady
}

func get0[T any]() T { return *new(T) }

// shadowed has another ctx at the place: the fix takes none.
func shadowed(ctx context.Context) {
	{
		ctx := "backup"
		_ = ctx
		time.Sleep(2 * time.Second) // want `shadowed sleeps for 2s and ignores ctx: shutdown waits for it`
	}
}

// clusterInfo carries the context of a component.
type clusterInfo struct{ Context context.Context }

type cluster struct{ info *clusterInfo }

// fromField finds the context in a struct.
func (c *cluster) fromField() error {
	time.Sleep(5 * time.Second) // want `fromField sleeps for 5s and ignores c\.info\.Context: shutdown waits for it`
	return nil
}

// syncer is stopped by a channel.
type syncer struct{ period time.Duration }

// Run starts a loop that goes on after stop.
func (s *syncer) Run(stop <-chan struct{}, work func() bool) {
	go func() {
		for work() {
			<-time.After(s.period) // want `this goroutine waits for a timer in each round of a loop and ignores stop: it goes on after shutdown`
		}
	}()
	<-stop
}

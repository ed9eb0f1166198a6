// Package helpers waits, and works, through another package.
package helpers

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachesync/helpers/lib"
)

type reconciler struct {
	clusters map[string]lib.Manager
	synced   cache.InformerSynced
	queue    workqueue.TypedRateLimitingInterface[string]
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.clusters[req.Name].Synced() // want `r.clusters\[req.Name\].Synced \(lib/lib.go:\d+\) waits without a limit in reconciler Reconcile`
	lib.WaitFor(ctx, r.synced)    // want `lib.WaitFor \(lib/lib.go:\d+\) waits without a limit`
	short, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	lib.WaitFor(short, r.synced)
	r.within(short)
	return ctrl.Result{}, nil
}

// The timeout is the caller's.
func (r *reconciler) within(ctx context.Context) { cache.WaitForCacheSync(ctx.Done(), r.synced) }

func (r *reconciler) ready(ctx context.Context) bool { return lib.WaitFor(ctx, r.synced) }

// The answers of waits are handed on.
func (r *reconciler) dropsAnswer(ctx context.Context) {
	r.ready(ctx) // want `r.ready: its result is dropped, and if ctx ends before the caches are filled, work, started on line \d+, works on caches`
	go work(r.queue)
}

func (r *reconciler) invertsAnswer(ctx context.Context) error {
	if lib.WaitFor(ctx, r.synced) { // want `lib.WaitFor is true once the caches are filled, which is taken for a failure here`
		return errors.New("caches did not sync")
	}
	return nil
}

func (r *reconciler) asksAnswer(ctx context.Context) {
	if !r.ready(ctx) {
		return
	}
	go work(r.queue)
}

func work(queue workqueue.TypedInterface[string]) {
	lib.Work(queue, func(string) {})
}

// The worker is in the other package.
func (r *reconciler) run(ctx context.Context) {
	cache.WaitForCacheSync(ctx.Done(), r.synced) // want `waits for ever`
	var wg sync.WaitGroup
	wg.Add(1)
	go wait.Until(func() {
		lib.Work(r.queue, func(string) {})
		wg.Done()
	}, time.Second, ctx.Done())
	wg.Wait()
}

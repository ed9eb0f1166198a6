// Package helpers waits, and works, through another package.
package helpers

import (
	"context"
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

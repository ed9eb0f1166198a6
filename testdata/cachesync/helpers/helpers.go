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
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/opvet/opvet/testdata/cachesync/helpers/lib"
)

type reconciler struct {
	clusters map[string]lib.Manager
	synced   cache.InformerSynced
	own      ctrlcache.Cache
	queue    workqueue.TypedRateLimitingInterface[string]
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.clusters[req.Name].Synced() // want `if a kind cannot be listed, the worker is stuck until the context ends: r\.clusters\[req\.Name\]\.Synced \(lib\.go:\d+\) has no time limit.*\(cachesync/in-reconcile\)`
	lib.WaitFor(ctx, r.synced)    // want `if a kind cannot be listed, the worker is stuck until ctx ends: lib\.WaitFor \(lib\.go:\d+\) has no time limit.*\(cachesync/in-reconcile\)`
	lib.WaitAlways(r.synced)      // want `if a kind cannot be listed, the worker is stuck until the process ends: lib\.WaitAlways \(lib\.go:\d+\) has no time limit.*\(cachesync/in-reconcile\)`
	short, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	lib.WaitFor(short, r.synced)
	r.within(short)
	lib.Begin(ctx, r.own)
	return ctrl.Result{}, nil
}

// The timeout is the caller's.
func (r *reconciler) within(ctx context.Context) { cache.WaitForCacheSync(ctx.Done(), r.synced) }

func (r *reconciler) ready(ctx context.Context) bool { return lib.WaitFor(ctx, r.synced) }

// The answers of waits are handed on.
func (r *reconciler) dropsAnswer(ctx context.Context) {
	r.ready(ctx) // want `if ctx ends before the sync, objects seem missing to work \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	go work(r.queue)
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
	cache.WaitForCacheSync(ctx.Done(), r.synced) // want `if ctx\.Done\(\) ends before the sync, Wait on line \d+ blocks forever, as nothing calls Done: the result is dropped.*\(cachesync/ignored\)`
	var wg sync.WaitGroup
	wg.Add(1)
	go wait.Until(func() {
		lib.Work(r.queue, func(string) {})
		wg.Done()
	}, time.Second, ctx.Done())
	wg.Wait()
}

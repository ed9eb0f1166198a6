// Package behind has waits, and what uses caches, in helpers.
package behind

import (
	"context"

	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/cachesync/helpers/lib"
)

type reconciler struct {
	synced cache.InformerSynced
	queue  workqueue.TypedRateLimitingInterface[string]
	pods   listers.PodLister
}

func work(queue workqueue.TypedInterface[string]) {
	lib.Work(queue, func(string) {})
}

// The helper drops the answer.
func (r *reconciler) waitsInHelper(ctx context.Context) {
	r.letFill(ctx)
	go work(r.queue)
}

func (r *reconciler) letFill(ctx context.Context) {
	cache.WaitForCacheSync(ctx.Done(), r.synced) // want `if ctx\.Done\(\) ends before the sync, objects seem missing to work \(line \d+\): the result is dropped; return it \(cachesync/ignored\)`
}

func (r *reconciler) waitsElsewhere(ctx context.Context) {
	lib.LetFill(ctx, r.synced) // want `if the context ends before the sync, objects seem missing to work \(line \d+\): lib\.LetFill drops the result; let it return that \(cachesync/ignored\)`
	go work(r.queue)
}

func (r *reconciler) readsElsewhere(ctx context.Context) int {
	cache.WaitForCacheSync(ctx.Done(), r.synced) // want `if ctx\.Done\(\) ends before the sync, objects seem missing to lib\.Count \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	return lib.Count(r.pods)
}

func (r *reconciler) trapOfReads(ctx context.Context) int {
	if !cache.WaitForCacheSync(ctx.Done(), r.synced) {
		return 0
	}
	return lib.Count(r.pods)
}

// What comes after asks itself whether it has to stop.
func (r *reconciler) trapOfHelper(ctx context.Context) {
	lib.LetFill(ctx, r.synced)
	<-ctx.Done()
}

func (r *reconciler) trapOfAnswer(ctx context.Context) bool {
	filled := func() bool { return lib.WaitFor(ctx, r.synced) }
	if !filled() {
		return false
	}
	go work(r.queue)
	return true
}

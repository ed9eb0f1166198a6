// Package lib waits, and works off queues, for others.
package lib

import (
	"context"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// Manager has the informers of a cluster.
type Manager interface {
	Synced() bool
}

type manager struct {
	ctx    context.Context
	synced []cache.InformerSynced
}

// New makes one.
func New(ctx context.Context, synced ...cache.InformerSynced) Manager {
	return &manager{ctx: ctx, synced: synced}
}

// Synced waits as long as it takes.
func (m *manager) Synced() bool { return cache.WaitForCacheSync(m.ctx.Done(), m.synced...) }

// WaitFor waits until ctx ends.
func WaitFor(ctx context.Context, synced cache.InformerSynced) bool {
	return cache.WaitForCacheSync(ctx.Done(), synced)
}

// WaitAlways waits until the process ends.
func WaitAlways(synced cache.InformerSynced) {
	cache.WaitForCacheSync(wait.NeverStop, synced) // want `nothing ends cache\.WaitForCacheSync.*\(cachesync/endless\)`
}

// Begin starts a cache of controller-runtime, which has no informer yet: there is nothing
// to wait for.
func Begin(ctx context.Context, informers ctrlcache.Cache) bool {
	go func() { _ = informers.Start(ctx) }()
	return informers.WaitForCacheSync(ctx)
}

// Work works off a queue.
func Work(queue workqueue.TypedInterface[string], handle func(string)) {
	for {
		key, quit := queue.Get()
		if quit {
			return
		}
		handle(key)
		queue.Done(key)
	}
}

// LetFill waits until ctx ends, and does not say how it came out.
func LetFill(ctx context.Context, synced cache.InformerSynced) {
	cache.WaitForCacheSync(ctx.Done(), synced)
}

// Count reads from a lister.
func Count(pods listers.PodLister) int {
	all, _ := pods.List(labels.Everything())
	return len(all)
}

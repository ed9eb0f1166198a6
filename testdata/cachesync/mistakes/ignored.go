// Package mistakes uses caches before they are filled, and waits for them wrongly.
package mistakes

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// controller has what controllers made by hand have.
type controller struct {
	factory     informers.SharedInformerFactory
	pods        corelisters.PodLister
	nodes       corelisters.NodeLister
	podsSynced  cache.InformerSynced
	nodesSynced cache.InformerSynced
	queue       workqueue.TypedRateLimitingInterface[string]
	stopCh      chan struct{}
}

func (c *controller) runWorker() {
	for c.processNext() {
	}
}

func (c *controller) processNext() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	c.sync(key)
	return true
}

func (c *controller) sync(key string) {
	pods, err := c.pods.List(labels.Everything())
	if err == nil {
		klog.Info(key, len(pods))
	}
}

func (c *controller) removeOrphans() {
	pods, _ := c.pods.List(labels.Everything())
	klog.Info(len(pods))
}

// Workers that look at no stop channel.
func (c *controller) plainWorkers(stopCh <-chan struct{}) {
	defer c.queue.ShutDown()
	cache.WaitForCacheSync(stopCh, c.podsSynced, c.nodesSynced) // want `cache.WaitForCacheSync: its result is dropped, and if stopCh ends before the caches are filled, runWorker, started on line \d+, works on caches in which objects are missing, as if they did not exist; return if it is false`
	for range 3 {
		go c.runWorker()
	}
	<-stopCh
}

// The list of pods may be empty.
func (c *controller) readsAfter(ctx context.Context) int {
	cache.WaitForCacheSync(ctx.Done(), c.podsSynced) // want `its result is dropped, and if ctx.Done\(\) ends before the caches are filled, c.pods.List on line \d+ reads a cache in which objects are missing`
	pods, _ := c.pods.List(labels.Everything())
	return len(pods)
}

func (c *controller) readsInHelper(ctx context.Context) {
	_ = cache.WaitForCacheSync(ctx.Done(), c.podsSynced) // want `removeOrphans \(line \d+\) calls c.pods.List, which reads a cache`
	c.removeOrphans()
}

// The wait group is never counted down.
func (c *controller) hangs(ctx context.Context) {
	cache.WaitForCacheSync(ctx.Done(), c.podsSynced) // want `wait.Until does not call its function any more, Done is never called, and Wait on line \d+ waits for ever`
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go wait.Until(func() {
			c.runWorker()
			wg.Done()
		}, time.Second, ctx.Done())
	}
	<-ctx.Done()
	wg.Wait()
}

// A timeout of its own: the workers run on.
func (c *controller) timedOut(ctx context.Context) {
	synced, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cache.WaitForCacheSync(synced.Done(), c.podsSynced) // want `if the caches are not filled within 30s, runWorker, started on line \d+, works on caches`
	go wait.Until(c.runWorker, time.Second, ctx.Done())
	<-ctx.Done()
}

// It is noted, and nothing follows from that.
func (c *controller) logged(ctx context.Context) {
	if !cache.WaitForCacheSync(ctx.Done(), c.podsSynced) { // want `the function goes on when it has failed, and if ctx.Done\(\) ends`
		klog.Error("caches did not sync")
	}
	c.removeOrphans()
}

func (c *controller) loggedLater(ctx context.Context) {
	ok := cache.WaitForNamedCacheSync("ours", ctx.Done(), c.podsSynced) // want `cache.WaitForNamedCacheSync: the function goes on when it has failed`
	klog.Info("waited")
	if ok {
		klog.Info("synced")
	} else {
		klog.Warning("not synced")
	}
	go c.runWorker()
	<-ctx.Done()
}

// The factory's own method answers for each informer.
func (c *controller) ofFactory(stopCh <-chan struct{}) int {
	c.factory.Start(stopCh)
	c.factory.WaitForCacheSync(stopCh) // want `c.factory.WaitForCacheSync: its result is dropped, .* c.nodes.List on line \d+ reads a cache .*; return if one of its results is false`
	nodes, _ := c.nodes.List(labels.Everything())
	return len(nodes)
}

// A store is read.
func readsStore(informer cache.SharedIndexInformer, stopCh <-chan struct{}) []string {
	go informer.Run(stopCh)
	cache.WaitForCacheSync(stopCh, informer.HasSynced) // want `its result is dropped`
	return informer.GetStore().ListKeys()[:len(informer.GetStore().List())]
}

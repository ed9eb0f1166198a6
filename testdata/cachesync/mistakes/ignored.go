// Package mistakes uses caches before they are filled, and waits for them wrongly.
package mistakes

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
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
	cache.WaitForCacheSync(stopCh, c.podsSynced, c.nodesSynced) // want `hygiene: if stopCh ends before the sync, objects seem missing to runWorker \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	for range 3 {
		go c.runWorker()
	}
	<-stopCh
}

// The list of pods may be empty.
func (c *controller) readsAfter(ctx context.Context) int {
	cache.WaitForCacheSync(ctx.Done(), c.podsSynced) // want `hygiene: if ctx\.Done\(\) ends before the sync, objects seem missing to c\.pods\.List \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	pods, _ := c.pods.List(labels.Everything())
	return len(pods)
}

func (c *controller) readsInHelper(ctx context.Context) {
	_ = cache.WaitForCacheSync(ctx.Done(), c.podsSynced) // want `if ctx\.Done\(\) ends before the sync, objects seem missing to removeOrphans \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	c.removeOrphans()
}

// The wait group is never counted down.
func (c *controller) hangs(ctx context.Context) {
	cache.WaitForCacheSync(ctx.Done(), c.podsSynced) // want `hygiene: if ctx\.Done\(\) ends before the sync, Wait on line \d+ blocks forever, as nothing calls Done: the result is dropped.*\(cachesync/ignored\)`
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
	cache.WaitForCacheSync(synced.Done(), c.podsSynced) // want `load: if the caches are not filled within \d+s, objects seem missing to runWorker \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	go wait.Until(c.runWorker, time.Second, ctx.Done())
	<-ctx.Done()
}

// It is noted, and nothing follows from that.
func (c *controller) logged(ctx context.Context) {
	if !cache.WaitForCacheSync(ctx.Done(), c.podsSynced) { // want `hygiene: if ctx\.Done\(\) ends before the sync, objects seem missing to removeOrphans \(line \d+\): the failure is only noted.*\(cachesync/ignored\)`
		klog.Error("caches did not sync")
	}
	c.removeOrphans()
}

func (c *controller) loggedLater(ctx context.Context) {
	ok := cache.WaitForNamedCacheSync("ours", ctx.Done(), c.podsSynced) // want `if ctx\.Done\(\) ends before the sync, objects seem missing to runWorker \(line \d+\): the failure is only noted.*\(cachesync/ignored\)`
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
	c.factory.WaitForCacheSync(stopCh) // want `hygiene: if stopCh ends before the sync, objects seem missing to c\.nodes\.List \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	nodes, _ := c.nodes.List(labels.Everything())
	return len(nodes)
}

// A store is read.
func readsStore(informer cache.SharedIndexInformer, stopCh <-chan struct{}) []string {
	go informer.Run(stopCh)
	cache.WaitForCacheSync(stopCh, informer.HasSynced) // want `if stopCh ends before the sync, objects seem missing to informer\.GetStore\(\)\.List \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	return informer.GetStore().ListKeys()[:len(informer.GetStore().List())]
}

// What is taken for an orphan is deleted, under a context that has not ended.
func (c *controller) deletesAfter(stopCh <-chan struct{}, client kubernetes.Interface) {
	cache.WaitForCacheSync(stopCh, c.podsSynced) // want `hygiene: if stopCh ends before the sync, objects seem missing to deleteOrphans \(line \d+\): the result is dropped`
	c.deleteOrphans(context.Background(), client)
}

func (c *controller) deleteOrphans(ctx context.Context, client kubernetes.Interface) {
	pods, _ := c.pods.List(labels.Everything())
	if len(pods) == 0 {
		_ = client.CoreV1().ConfigMaps("ours").Delete(ctx, "pods", metav1.DeleteOptions{})
	}
}

// The request is refused before it is sent.
func (c *controller) deletesUnderTheSameContext(ctx context.Context, client kubernetes.Interface) {
	cache.WaitForCacheSync(ctx.Done(), c.podsSynced) // want `hygiene: if ctx\.Done\(\) ends before the sync`
	c.deleteOrphans(ctx, client)
}

// The process goes on after a timeout, and deletes.
func (c *controller) deletesAfterATimeout(ctx context.Context, client kubernetes.Interface) {
	synced, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cache.WaitForCacheSync(synced.Done(), c.podsSynced) // want `loss: if the caches are not filled within 30s`
	c.deleteOrphans(ctx, client)
}

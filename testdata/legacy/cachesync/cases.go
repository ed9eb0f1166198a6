// Package cachesync has waits with the libraries of before generics.
package cachesync

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
)

type controller struct {
	pods   corelisters.PodLister
	synced cache.InformerSynced
	queue  workqueue.RateLimitingInterface
	client kubernetes.Interface
	stop   chan struct{}
}

func (c *controller) runWorker() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		_, _ = c.pods.List(labels.Everything())
		c.queue.Done(key)
	}
}

func (c *controller) dropped(stopCh <-chan struct{}) {
	cache.WaitForCacheSync(stopCh, c.synced) // want `if stopCh ends before the sync, objects seem missing to runWorker \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	go c.runWorker()
}

func (c *controller) missing(stopCh <-chan struct{}) int {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	lister := factory.Core().V1().Nodes().Lister()
	factory.Start(stopCh)
	nodes, _ := lister.List(labels.Everything()) // want `lister\.List finds nothing: the informers of line \d+ have not filled the cache yet.*\(cachesync/missing\)`
	return len(nodes)
}

func (c *controller) sleepy(stopCh <-chan struct{}) int {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	lister := factory.Core().V1().Nodes().Lister()
	factory.Start(stopCh)
	time.Sleep(time.Second)
	nodes, _ := lister.List(labels.Everything()) // want `lister\.List finds nothing`
	return len(nodes)
}

func (c *controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cache.WaitForCacheSync(c.stop, c.synced) // want `if a kind cannot be listed, the worker is stuck until c\.stop ends: cache\.WaitForCacheSync has no time limit.*\(cachesync/in-reconcile\)`
	return ctrl.Result{}, nil
}

func (c *controller) notStarted(stopCh <-chan struct{}) bool {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	return cache.WaitForCacheSync(stopCh, factory.Core().V1().Pods().Informer().HasSynced) // want `nothing starts the informer`
}

func (c *controller) endless() bool {
	return cache.WaitForCacheSync(wait.NeverStop, c.synced) // want `if a kind cannot be listed, endless never returns: nothing ends cache\.WaitForCacheSync.*\(cachesync/endless\)`
}

func (c *controller) checked(stopCh <-chan struct{}) {
	if !cache.WaitForCacheSync(stopCh, c.synced) {
		return
	}
	go c.runWorker()
}

func (c *controller) untilStop(stopCh <-chan struct{}) {
	cache.WaitForCacheSync(stopCh, c.synced)
	go wait.Until(c.runWorker, time.Second, stopCh)
}

// Package unasked starts workers, and asks nowhere whether caches are filled.
package unasked

import (
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// Controller lists all pods for each node.
type Controller struct {
	factory informers.SharedInformerFactory
	pods    corelisters.PodLister
	queue   workqueue.TypedRateLimitingInterface[string]
}

// New makes one.
func New(client kubernetes.Interface) *Controller {
	factory := informers.NewSharedInformerFactory(client, 0)
	c := &Controller{factory: factory, pods: factory.Core().V1().Pods().Lister()}
	_, _ = factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
			c.queue.Add(key)
		}
	}})
	return c
}

// Run runs it.
func (c *Controller) Run(stopCh <-chan struct{}) {
	defer c.queue.ShutDown()
	c.factory.Start(stopCh)
	go wait.Until(c.work, time.Second, stopCh) // want `load: objects seem not to exist to work: the informers of line \d+ have not filled their caches yet.*\(cachesync/missing\)`
	<-stopCh
}

// RunAfterSleep hopes.
func (c *Controller) RunAfterSleep(stopCh <-chan struct{}) {
	c.factory.Start(stopCh)
	time.Sleep(3 * time.Second)
	go wait.Until(c.work, time.Second, stopCh) // want `objects seem not to exist to work: the informers of line \d+ have not filled their caches yet.*\(cachesync/missing\)`
	<-stopCh
}

func (c *Controller) work() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		pods, err := c.pods.List(labels.Everything())
		klog.Info(key, len(pods), err)
		c.queue.Done(key)
	}
}

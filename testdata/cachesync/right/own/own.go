// Package own asks nowhere whether caches are filled, and does not have to.
package own

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// Controller reads the object of its key only, which is in the cache by then.
type Controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
}

// New makes one.
func New(pods cache.Getter) *Controller {
	lw := cache.NewListWatchFromClient(pods, "pods", metav1.NamespaceAll, fields.Everything())
	c := &Controller{informer: cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, cache.Indexers{})}
	_, _ = c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
			c.queue.Add(key)
		}
	}})
	return c
}

// Run runs it.
func (c *Controller) Run(stopCh <-chan struct{}) {
	defer c.queue.ShutDown()
	go c.informer.Run(stopCh)
	go wait.Until(c.work, time.Second, stopCh)
	<-stopCh
}

func (c *Controller) work() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		obj, exists, err := c.informer.GetIndexer().GetByKey(key)
		klog.Info(obj, exists, err)
		c.queue.Done(key)
	}
}

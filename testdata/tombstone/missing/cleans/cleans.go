// Package cleans has a worker that cleans up after an object that is gone.
package cleans

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	informer cache.SharedIndexInformer
	lister   listers.PodLister
	queue    workqueue.TypedRateLimitingInterface[string]
	known    map[string]bool
}

func (c *controller) register() {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.enqueue})
}

func (c *controller) enqueue(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj) // want `loss: a missed deletion is lost: .*tombstone/raw-key`
	if err != nil {
		return
	}
	c.queue.Add(key)
}

func (c *controller) next() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(key); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

func (c *controller) sync(key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	pod, err := c.lister.Pods(namespace).Get(name)
	if err != nil {
		if apierrors.IsNotFound(err) {
			delete(c.known, key)
			return nil
		}
		return err
	}
	c.known[pod.Name] = true
	return nil
}

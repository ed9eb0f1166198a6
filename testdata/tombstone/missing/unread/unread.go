// Package unread has a worker that works before it looks whether the object is there.
package unread

import (
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	informer cache.SharedIndexInformer
	lister   listers.PodLister
	queue    workqueue.TypedRateLimitingInterface[string]
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
	_ = c.sync(key)
	return true
}

func (c *controller) sync(key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	if err := os.RemoveAll("/var/lib/pods/" + name); err != nil {
		return err
	}
	_, err = c.lister.Pods(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Package store has a worker that asks the informer's own store.
package store

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	seen     map[string]string
}

func (c *controller) register() {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.deleted})
}

func (c *controller) deleted(obj any) { c.enqueue(obj) }

var keyFunc = cache.DeletionHandlingMetaNamespaceKeyFunc

func (c *controller) enqueue(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
	if ok {
		key, err := keyFunc(pod)
		if err != nil {
			return
		}
		c.queue.Add(key)
	}
}

func (c *controller) next() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.execute(key); err != nil {
		c.queue.AddRateLimited(key)
	}
	return true
}

func (c *controller) execute(key string) error {
	obj, exists, err := c.informer.GetStore().GetByKey(key)
	if err != nil {
		return err
	}
	if !exists {
		return nil
	}
	c.seen[key] = obj.(*corev1.Pod).Name
	return nil
}

// Package cleans has a worker that does nothing without a namespace, and cleans up after an object that is gone.
package cleans

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	namespaces listers.NamespaceLister
	maps       listers.ConfigMapLister
	queue      workqueue.TypedRateLimitingInterface[string]
	known      map[string]bool
}

func (c *controller) register(maps cache.SharedIndexInformer) {
	maps.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.mapDeleted})
}

func (c *controller) mapDeleted(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	key, err := cache.MetaNamespaceKeyFunc(config)
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
	}
	return true
}

func (c *controller) sync(key string) error {
	in, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	if _, err := c.namespaces.Get(in); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	_, err = c.maps.ConfigMaps(in).Get(name)
	if apierrors.IsNotFound(err) {
		delete(c.known, key)
		return nil
	}
	c.known[key] = true
	return err
}

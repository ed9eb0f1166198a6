// Package otherkind has workers that read an object of another kind by the key of the one that is
// gone: its owner, called the same, which has it made again.
package otherkind

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	nodes   listers.NodeLister
	configs listers.ConfigMapLister
	queue   workqueue.TypedRateLimitingInterface[string]
	make    func(*corev1.Node) error
}

func (c *controller) register(configs, nodes cache.SharedIndexInformer) {
	configs.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.configDeleted})
	nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.nodeDeleted})
}

// configDeleted has the configuration of a node that is still there made again.
func (c *controller) configDeleted(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	c.enqueue(config)
}

// nodeDeleted queues the key of a node that is gone, for which the worker does nothing.
func (c *controller) nodeDeleted(obj any) {
	node, ok := obj.(*corev1.Node) // want `^hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	c.enqueue(node)
}

func (c *controller) enqueue(obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return
	}
	c.queue.Add(key)
}

func (c *controller) work() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		if err := c.sync(key); err != nil {
			c.queue.AddRateLimited(key)
		} else {
			c.queue.Forget(key)
		}
		c.queue.Done(key)
	}
}

func (c *controller) sync(key string) error {
	_, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	node, err := c.nodes.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.make(node)
}

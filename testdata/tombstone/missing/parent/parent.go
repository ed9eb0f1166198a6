// Package parent has a worker that looks at the namespace of an object before it reads the object.
package parent

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	namespaces listers.NamespaceLister
	maps       listers.ConfigMapLister
	queue      workqueue.TypedRateLimitingInterface[string]
	put        func(*corev1.ConfigMap) error
}

func (c *controller) register(maps, pods cache.SharedIndexInformer) {
	maps.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.mapDeleted})
	pods.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.podDeleted})
}

func (c *controller) mapDeleted(obj any) {
	config, ok := obj.(*corev1.ConfigMap) // want `^hygiene: a missed deletion is lost: .*tombstone/dropped`
	if ok && config.Labels["watched"] == "yes" {
		c.enqueue(obj)
	}
}

// podDeleted has the worker look at what is called like the pod, and is still there.
func (c *controller) podDeleted(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `^loss: a missed deletion is lost: .*tombstone/dropped`
	if ok && pod.Labels["watched"] == "yes" {
		c.enqueue(obj)
	}
}

func (c *controller) enqueue(obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
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
	in, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil
	}
	namespace, err := c.namespaces.Get(in)
	if err != nil {
		if apierrors.IsNotFound(err) {
			klog.InfoS("No such namespace", "key", key)
			return nil
		}
		return err
	}
	if namespace.Labels["watched"] != "yes" {
		return fmt.Errorf("namespace %s is not watched", in)
	}
	config, err := c.maps.ConfigMaps(in).Get(name)
	if err != nil {
		if apierrors.IsNotFound(err) {
			klog.InfoS("Gone", "key", key)
			return nil
		}
		return err
	}
	return c.put(config.DeepCopy())
}

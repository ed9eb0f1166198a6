// Package tombstone has delete handlers of the time before generics.
package tombstone

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.RateLimitingInterface
}

func panics(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj interface{}) {
			pod := obj.(*corev1.Pod) // want `tombstone/panic`
			c.queue.Add(pod.Name)
		},
	})
}

func drops(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj interface{}) {
			pod, ok := obj.(*corev1.Pod) // want `tombstone/dropped`
			if !ok {
				klog.Errorf("unexpected %T", obj)
				return
			}
			c.queue.Add(pod.Name)
		},
	})
}

func rawKey(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.enqueue})
}

func (c *controller) enqueue(obj interface{}) {
	key, err := cache.MetaNamespaceKeyFunc(obj) // want `tombstone/raw-key`
	if err != nil {
		klog.Error(err)
		return
	}
	c.queue.Add(key)
}

// handler implements cache.ResourceEventHandler, as it was then.
type handler struct {
	queue workqueue.RateLimitingInterface
}

func (h *handler) OnAdd(obj interface{})               { h.queue.Add(obj.(*corev1.Pod)) } // want `tombstone/panic`
func (h *handler) OnUpdate(_, obj interface{})         { h.OnAdd(obj) }
func (h *handler) OnDelete(obj interface{})            { h.OnAdd(obj) }
func register(i cache.SharedIndexInformer, h *handler) { i.AddEventHandler(h) }

// The worker asserts what it takes off the queue.
type change struct{ obj interface{} }

func queued(informer cache.SharedInformer, changes workqueue.Interface, names map[string]bool) {
	c := struct{ queue workqueue.Interface }{changes}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj interface{}) { c.queue.Add(change{obj}) },
	})
	go func() {
		item, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		defer c.queue.Done(item)
		delete(names, item.(change).obj.(*corev1.Pod).Name) // want `the operator crashes on a missed deletion: the tombstone from queue is asserted to be \*v1\.Pod; unwrap cache\.DeletedFinalStateUnknown \(tombstone/panic\)`
	}()
}

// What follows is right.

func unwraps(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj interface{}) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			c.queue.Add(obj.(*corev1.Pod).Name)
		},
	})
}

func deletionHandling(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj interface{}) {
			if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
				c.queue.Add(key)
			}
		},
	})
}

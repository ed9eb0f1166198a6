// Package helpers has handlers that leave the tombstone to another package.
package helpers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/opvet/opvet/testdata/tombstone/helpers/lib"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    lib.Queue
	accessor *lib.Accessor
	store    lib.Store
	replicas map[string]*lib.Replica
}

func (c *controller) on(f func(obj any)) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: f})
}

func (c *controller) add(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) } // want `\(→ Do\) with .* unchecked assertion to \*v1.Pod panics`

func mistakes(c *controller) {
	c.on(func(obj any) {
		lib.Enqueue(obj, c.queue) // want `\(→ Enqueue\) with a cache.DeletedFinalStateUnknown, and cache.MetaNamespaceKeyFunc in Enqueue \(lib/lib.go:\d+\) returns an error for it: .*; use cache.DeletionHandlingMetaNamespaceKeyFunc \(tombstone/raw-key\)`
	})
	c.on(func(obj any) {
		if pod := lib.ToPod(obj); pod != nil { // want `which is no \*v1.Pod in ToPod \(lib/lib.go:\d+\): what is done for a deleted object is not done`
			c.queue.Add(pod.Name)
		}
	})
	c.on(func(obj any) {
		c.queue.Add(lib.ToPod(obj).Name) // want `the assertion to \*v1.Pod in ToPod \(lib/lib.go:\d+\) leaves nil, which is used on line \d+: the operator crashes`
	})
	c.on(func(obj any) {
		c.queue.Add(lib.MustPod(obj).Name) // want `unchecked assertion to \*v1.Pod in MustPod \(lib/lib.go:\d+\) panics`
	})
	c.on(func(obj any) {
		key, err := lib.RawKeyFunc(obj) // want `cache.MetaNamespaceKeyFunc returns an error`
		if err != nil {
			return
		}
		c.queue.Add(key)
	})
	c.on(func(obj any) {
		klog.Info(lib.Describe(obj))
		lib.Enqueue(obj, c.queue) // want `tombstone/raw-key`
	})
	c.on(func(obj any) { lib.Do(obj, c.add) })
	c.on(func(obj any) {
		if pod, ok := obj.(*corev1.Pod); ok { // want `which is no \*v1.Pod: what is done for a deleted object is not done`
			c.replicas[pod.Name].Receive("deleted")
		}
	})
}

func filtered(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: lib.IsMine, // want `and the filter rejects it in IsMine \(lib/lib.go:\d+\): DeleteFunc \(helpers.go:\d+\) is never called`
		Handler:    cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { lib.EnqueueDeleted(obj, c.queue) }},
	})
}

func registeredElsewhere(c *controller) {
	c.informer.AddEventHandler(lib.OnDelete(func(obj any) {
		c.queue.Add(obj.(*corev1.Pod).Name) // want `calls OnDelete \(helpers.go:\d+\) with .* unchecked assertion`
	}))
}

func right(c *controller) {
	c.on(func(obj any) { lib.EnqueueDeleted(obj, c.queue) })
	c.on(func(obj any) { lib.EnqueueOwner(obj, func(o any) { c.queue.Add(string(o.(cache.ExplicitKey))) }) })
	c.on(func(obj any) {
		if pod, ok := lib.Unwrap(obj).(*corev1.Pod); ok {
			c.queue.Add(pod.Name)
		}
	})
	c.on(func(obj any) {
		c.queue.Add(lib.Unwrap(obj).(*corev1.Pod).Name)
	})
	c.on(func(obj any) {
		m, ok := c.accessor.Meta(obj)
		if !ok {
			return
		}
		c.queue.Add(m.GetName())
	})
	c.on(func(obj any) {
		key, err := lib.KeyFunc(obj)
		if err != nil {
			return
		}
		c.queue.Add(key)
	})
	c.on(func(obj any) {
		if err := c.store.Remove(obj); err != nil {
			klog.Error(err)
		}
	})
	c.on(func(obj any) { lib.Do(obj, func(any) { c.queue.Add("all") }) })
}

func eachKind(c *controller) {
	c.informer.AddEventHandler(lib.Handler(
		func(obj any, _ bool) { c.queue.Add(obj.(*corev1.Pod).Name) },
		func(_, obj any) { c.queue.Add(obj.(*corev1.Pod).Name) },
		func(obj any) { lib.EnqueueDeleted(obj, c.queue) },
	))
	c.informer.AddEventHandler(lib.Handler(nil, nil, func(obj any) {
		c.queue.Add(obj.(*corev1.Node).Name) // want `calls Handler \(helpers.go:\d+\) with .* unchecked assertion to \*v1.Node`
	}))
	c.informer.AddEventHandler(lib.OnAdd(func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) }))
}

func filteredElsewhere(c *controller) {
	c.informer.AddEventHandler(lib.Filtered(
		func(obj any) bool { _, ok := obj.(*corev1.Pod); return ok },
		func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) },
	))
}

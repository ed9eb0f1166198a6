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

func (c *controller) add(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) } // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod; unwrap cache\.DeletedFinalStateUnknown \(tombstone/panic\)`

func mistakes(c *controller) {
	c.on(func(obj any) {
		lib.Enqueue(obj, c.queue) // want `a missed deletion is lost: cache\.MetaNamespaceKeyFunc \(lib/lib\.go:\d+\) fails for the tombstone; use cache\.DeletionHandlingMetaNamespaceKeyFunc \(tombstone/raw-key\)`
	})
	c.on(func(obj any) {
		if pod := lib.ToPod(obj); pod != nil { // want `a missed deletion is lost: the tombstone is no \*v1\.Pod \(lib/lib\.go:\d+\); unwrap cache\.DeletedFinalStateUnknown \(tombstone/dropped\)`
			c.queue.Add(pod.Name)
		}
	})
	c.on(func(obj any) {
		c.queue.Add(lib.ToPod(obj).Name) // want `the operator crashes on a missed deletion: the assertion to \*v1\.Pod \(lib/lib\.go:\d+\) leaves nil, used in line \d+.*tombstone/panic`
	})
	c.on(func(obj any) {
		c.queue.Add(lib.MustPod(obj).Name) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod \(lib/lib\.go:\d+\).*tombstone/panic`
	})
	c.on(func(obj any) {
		key, err := lib.RawKeyFunc(obj) // want `a missed deletion is lost: cache\.MetaNamespaceKeyFunc fails for the tombstone.*tombstone/raw-key`
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
		if pod, ok := obj.(*corev1.Pod); ok { // want `a missed deletion is lost: the tombstone is no \*v1\.Pod.*tombstone/dropped`
			c.replicas[pod.Name].Receive("deleted")
		}
	})
}

func filtered(c *controller) {
	c.informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: lib.IsMine, // want `a missed deletion never reaches DeleteFunc \(helpers\.go:\d+\): the tombstone is no \*v1\.Pod \(lib/lib\.go:\d+\).*tombstone/dropped`
		Handler:    cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { lib.EnqueueDeleted(obj, c.queue) }},
	})
}

func registeredElsewhere(c *controller) {
	c.informer.AddEventHandler(lib.OnDelete(func(obj any) {
		c.queue.Add(obj.(*corev1.Pod).Name) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Pod.*tombstone/panic`
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
		c.queue.Add(obj.(*corev1.Node).Name) // want `the operator crashes on a missed deletion: the tombstone is asserted to be \*v1\.Node.*tombstone/panic`
	}))
	c.informer.AddEventHandler(lib.OnAdd(func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) }))
}

func filteredElsewhere(c *controller) {
	c.informer.AddEventHandler(lib.Filtered(
		func(obj any) bool { _, ok := obj.(*corev1.Pod); return ok },
		func(obj any) { c.queue.Add(obj.(*corev1.Pod).Name) },
	))
}

// Package unused has delete handlers that recognise a tombstone and do not use
// what it holds, or ask for something that never comes.
package unused

import (
	"k8s.io/apimachinery/pkg/api/meta"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
}

func (c *controller) enqueue(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj) // want `a missed deletion is lost: cache\.MetaNamespaceKeyFunc gets the tombstone itself and fails; use its Obj \(tombstone/unwrapped-unused\)`
	if err != nil {
		klog.Error(err)
		return
	}
	c.queue.Add(key)
}

func tombstoneItself(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone
			}
			pod := obj.(*corev1.Pod) // want `the operator crashes on a missed deletion: the tombstone itself is asserted to be \*v1\.Pod.*tombstone/unwrapped-unused`
			c.queue.Add(pod.Name)
		},
	})
}

func originalGoesOn(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod)
			if !ok {
				tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
				if !ok {
					return
				}
				if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
					return
				}
			}
			klog.Infof("%s is gone", pod.Name)
			c.enqueue(obj)
		},
	})
}

func onlyLogged(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				klog.Infof("missed the deletion of %s", tombstone.Key)
			}
			pod, ok := obj.(*corev1.Pod) // want `a missed deletion is lost: the tombstone itself is asserted to be \*v1\.Pod.*tombstone/unwrapped-unused`
			if !ok {
				return
			}
			c.queue.Add(pod.Name)
		},
	})
}

func shadowed(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj := tombstone.Obj
				klog.Infof("missed the deletion of %v", obj)
			}
			c.queue.Add(obj.(*corev1.Pod).Name) // want `tombstone/unwrapped-unused`
		},
	})
}

func pointer(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			pod, ok := obj.(*corev1.Pod)
			if !ok {
				tombstone, ok := obj.(*cache.DeletedFinalStateUnknown) // want `a missed deletion is lost: the tombstone comes by value and never is a pointer; assert cache\.DeletedFinalStateUnknown without \* \(tombstone/pointer\)`
				if !ok {
					klog.Errorf("unexpected object %#v", obj)
					return
				}
				if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
					return
				}
			}
			c.queue.Add(pod.Name)
		},
	})
}

func pointerFirst(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(*cache.DeletedFinalStateUnknown); ok { // want `tombstone/pointer`
				obj = tombstone.Obj
			}
			m, err := meta.Accessor(obj)
			if err != nil {
				klog.Warningf("BUG: %v", err)
				return
			}
			c.queue.Add(m.GetName())
		},
	})
}

func pointerCase(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			switch o := obj.(type) {
			case *corev1.Pod:
				c.queue.Add(o.Name)
			case *cache.DeletedFinalStateUnknown: // want `tombstone/pointer`
				c.queue.Add(o.Key)
			}
		},
	})
}

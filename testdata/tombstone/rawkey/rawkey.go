// Package rawkey has delete handlers that take the key of the raw object.
package rawkey

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	enqueue  func(obj any)
}

func keyFunc(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			key, err := cache.MetaNamespaceKeyFunc(obj) // want `a missed deletion is lost: cache\.MetaNamespaceKeyFunc fails for the tombstone; use cache\.DeletionHandlingMetaNamespaceKeyFunc \(tombstone/raw-key\)`
			if err != nil {
				utilruntime.HandleError(err)
				return
			}
			c.queue.Add(key)
		},
	})
}

func onSuccess(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil { // want `tombstone/raw-key`
				c.queue.Add(key)
			}
		},
	})
}

func errorIgnored(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			key, _ := cache.MetaNamespaceKeyFunc(obj) // want `tombstone/raw-key`
			c.queue.Add(key)
		},
	})
}

func helper(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: c.add, DeleteFunc: c.add})
}

func (c *controller) add(obj any) {
	var key string
	var err error
	if key, err = cache.MetaNamespaceKeyFunc(obj); err != nil { // want `tombstone/raw-key`
		utilruntime.HandleError(err)
		return
	}
	c.queue.AddRateLimited(key)
}

func accessor(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			m, err := meta.Accessor(obj) // want `a missed deletion is lost: meta\.Accessor fails for the tombstone.*tombstone/raw-key`
			if err != nil {
				return
			}
			c.queue.Add(m.GetName())
		},
	})
}

func accessorErrorIgnored(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			m, _ := meta.Accessor(obj) // want `the operator crashes on a missed deletion: meta\.Accessor returns nil for it, used in line \d+; unwrap cache\.DeletedFinalStateUnknown \(tombstone/panic\)`
			c.queue.Add(m.GetName())
		},
	})
}

func objectName(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			name, err := cache.ObjectToName(obj) // want `a missed deletion is lost: cache\.ObjectToName fails for the tombstone.*tombstone/raw-key`
			if err != nil {
				return
			}
			c.queue.Add(name.Name)
		},
	})
}

func ownerOnly(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if _, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err != nil {
				return
			}
			m, err := meta.Accessor(obj) // want `tombstone/raw-key`
			if err != nil {
				return
			}
			for _, owner := range m.GetOwnerReferences() {
				c.queue.Add(owner.Name)
			}
		},
	})
}

// keyOf is the key function of this package.
var keyOf = cache.MetaNamespaceKeyFunc

func variable(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			key, err := keyOf(obj) // want `a missed deletion is lost: cache\.MetaNamespaceKeyFunc fails for the tombstone.*tombstone/raw-key`
			if err != nil {
				klog.Error(err)
				return
			}
			c.queue.Add(key)
		},
	})
}

func field(c *controller) {
	c.enqueue = func(obj any) {
		key, err := cache.MetaNamespaceKeyFunc(obj) // want `a missed deletion is lost: cache\.MetaNamespaceKeyFunc fails for the tombstone.*tombstone/raw-key`
		if err != nil {
			return
		}
		c.queue.Add(key)
	}
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) { c.enqueue(obj) }})
}

// A key function that also takes strings.
func stringOrObject(obj any) (string, error) {
	if s, ok := obj.(string); ok {
		obj = cache.ExplicitKey(s)
	}
	return cache.MetaNamespaceKeyFunc(obj) // want `a missed deletion is lost: cache\.MetaNamespaceKeyFunc fails for the tombstone.*tombstone/raw-key`
}

func ownKeyFunc(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			key, err := stringOrObject(obj)
			if err != nil {
				utilruntime.HandleError(err)
				return
			}
			c.queue.Add(key)
		},
	})
}

// With the key of the tombstone it would get to the assertion, and panic.
func assertsAfterwards(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			key, err := cache.MetaNamespaceKeyFunc(obj) // want `a missed deletion is lost: .*; unwrap cache\.DeletedFinalStateUnknown \(tombstone/raw-key\)`
			if err != nil {
				utilruntime.HandleError(err)
				return
			}
			klog.Info(obj.(*corev1.Pod).UID)
			c.queue.Add(key)
		},
	})
}

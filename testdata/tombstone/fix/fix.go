// Package fix has key functions that get another name.
package fix

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	queue workqueue.TypedRateLimitingInterface[string]
	names workqueue.TypedRateLimitingInterface[toolscache.ObjectName]
}

func (c *controller) register(informer toolscache.SharedIndexInformer) {
	informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: c.enqueue, DeleteFunc: c.enqueue,
	})
	informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if name, err := toolscache.ObjectToName(obj); err == nil { // want `tombstone/raw-key`
				c.names.Add(name)
			}
		},
	})
}

func (c *controller) enqueue(obj any) {
	key, err := toolscache.MetaNamespaceKeyFunc(obj) // want `tombstone/raw-key`
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	c.queue.Add(key)
}

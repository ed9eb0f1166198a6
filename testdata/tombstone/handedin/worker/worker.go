// Package worker has another package work its keys off, which does nothing for what is gone.
package worker

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/tombstone/handedin/worker/lib"
)

type controller struct {
	queue  workqueue.TypedRateLimitingInterface[string]
	syncer *lib.Syncer
}

func (c *controller) register(endpoints, pods cache.SharedIndexInformer) {
	_, _ = endpoints.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.deleted})
	_, _ = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.podDeleted})
}

func (c *controller) deleted(obj any) {
	endpoints, ok := obj.(*corev1.Endpoints) // want `^hygiene: a missed deletion is lost: .*tombstone/dropped`
	if ok {
		c.enqueue(endpoints)
	}
}

// podDeleted has the endpoints applied that are called like the pod.
func (c *controller) podDeleted(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `^loss: a missed deletion is lost: .*tombstone/dropped`
	if ok {
		c.enqueue(pod)
	}
}

func (c *controller) enqueue(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		c.queue.Add(key)
	}
}

func (c *controller) work() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		if err := c.syncer.Sync(key); err != nil {
			c.queue.AddRateLimited(key)
		}
		c.queue.Done(key)
	}
}

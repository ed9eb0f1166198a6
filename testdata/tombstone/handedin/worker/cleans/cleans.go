// Package cleans has another package work its keys off, which cleans up.
package cleans

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/tombstone/handedin/worker/lib"
)

type controller struct {
	queue  workqueue.TypedRateLimitingInterface[string]
	syncer *lib.Syncer
}

func (c *controller) register(endpoints cache.SharedIndexInformer) {
	_, _ = endpoints.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.deleted})
}

func (c *controller) deleted(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj) // want `^loss: a missed deletion is lost: .*tombstone/raw-key`
	if err == nil {
		c.queue.Add(key)
	}
}

func (c *controller) work() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		if err := c.syncer.SyncAndForget(key); err != nil {
			c.queue.AddRateLimited(key)
		}
		c.queue.Done(key)
	}
}

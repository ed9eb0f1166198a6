// Package strict has waits whose failure is not asked for, which does little harm.
package strict

import (
	"context"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	pods   corelisters.PodLister
	synced cache.InformerSynced
	queue  workqueue.TypedRateLimitingInterface[string]
}

func (c *controller) runWorker() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		_, _ = c.pods.Pods("ours").Get(key)
		c.queue.Done(key)
	}
}

// wait.Until does not run the worker any more.
func (c *controller) run(stopCh <-chan struct{}) {
	cache.WaitForCacheSync(stopCh, c.synced) // want `if stopCh ends before the sync, objects seem missing to runWorker \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	go wait.Until(c.runWorker, time.Second, stopCh)
	<-stopCh
}

// Nobody gets the answer.
func (c *controller) count(r *http.Request) int {
	cache.WaitForCacheSync(r.Context().Done(), c.synced) // want `if r\.Context\(\)\.Done\(\) ends before the sync, objects seem missing to c\.pods\.List \(line \d+\): the result is dropped.*\(cachesync/ignored\)`
	pods, _ := c.pods.List(labels.Everything())
	return len(pods)
}

// It says that it goes on.
func (c *controller) bestEffort(ctx context.Context) {
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if !cache.WaitForCacheSync(short.Done(), c.synced) { // want `if the caches are not filled within \d+s, objects seem missing to runWorker \(line \d+\): the failure is only noted.*\(cachesync/ignored\)`
		println("going on")
	}
	go c.runWorker()
}

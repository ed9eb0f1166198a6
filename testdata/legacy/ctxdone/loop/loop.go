// Package loop has the stop channels of older libraries.
package loop

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	client kubernetes.Interface
	queue  workqueue.RateLimitingInterface
	pods   corelisters.PodLister
}

// Run starts everything.
func (c *controller) Run(stopCh <-chan struct{}) {
	go wait.Until(c.work, time.Second, stopCh)
	go c.report()
	go func() {
		for { // want `hygiene: this goroutine outlives what started it: nothing ends this loop, not even stopCh of what starts it`
			c.check()
			time.Sleep(time.Minute)
		}
	}()
	<-stopCh
}

func (c *controller) check() { klog.Info("checking") }

func (c *controller) report() {
	for range time.Tick(time.Minute) { // want `hygiene: this goroutine outlives what started it: nothing ends this loop, not even stopCh of what starts it; hand stopCh on, and wait in a select with stopCh`
		c.check()
	}
}

// work is ended by the queue.
func (c *controller) work() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		c.queue.Done(key)
		c.handle(key.(string))
	}
}

// handle waits for its object.
func (c *controller) handle(name string) {
	for { // want `workqueue worker work holds its worker forever: nothing but success ends this loop; return and let the queue try again later`
		pods, err := c.pods.Pods(name).List(labels.Everything())
		if err == nil && len(pods) > 0 {
			return
		}
		time.Sleep(time.Second)
	}
}

// synced polls until the cache is full.
func synced(informer cache.SharedIndexInformer, stopCh chan struct{}) {
	for { // want `shutdown hangs: nothing but success ends this loop, not even stopCh`
		if informer.HasSynced() {
			break
		}
		time.Sleep(time.Second)
	}
}

// get retries on an old context.
func get(ctx context.Context, client kubernetes.Interface) *corev1.Node {
	for { // want `hygiene: shutdown hangs: once its context has ended, Get fails at once and this loop retries forever`
		if node, err := client.CoreV1().Nodes().Get(ctx, "node", metav1.GetOptions{}); err == nil {
			return node
		}
		time.Sleep(time.Second)
	}
}

// breaks leaves the select only.
func breaks(ctx context.Context, ticker *time.Ticker) {
	for {
		select {
		case <-ctx.Done(): // want `this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select`
			break
		case <-ticker.C:
			klog.Info("tick")
		}
	}
}

// stops is right.
func stops(stopCh <-chan struct{}, ticker *time.Ticker) {
	for {
		select {
		case <-stopCh:
			return
		case <-ticker.C:
			klog.Info("tick")
		}
	}
}

// leaves is right: the error leaves the loop.
func leaves(ctx context.Context, client kubernetes.Interface) error {
	for {
		node, err := client.CoreV1().Nodes().Get(ctx, "node", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(node.Status.Conditions) > 0 {
			return nil
		}
		time.Sleep(time.Second)
	}
}

// waits is right: the helper of the library listens.
func waits(stopCh <-chan struct{}, informer cache.SharedIndexInformer) {
	for !cache.WaitForCacheSync(stopCh, informer.HasSynced) {
		return
	}
}

// started is right: nobody has a context, and the process ends it.
func started() {
	go func() {
		for {
			klog.Info("alive")
			time.Sleep(time.Second)
		}
	}()
}

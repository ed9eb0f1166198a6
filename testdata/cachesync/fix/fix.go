// Package fix takes filled caches for a failure.
package fix

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

type controller struct {
	factory informers.SharedInformerFactory
	pods    corelisters.PodLister
	synced  cache.InformerSynced
}

func (c *controller) returnsError(ctx context.Context) error {
	if cache.WaitForCacheSync(ctx.Done(), c.synced) { // want `filled caches are taken for a failure, and a failed wait for success: cache\.WaitForCacheSync is true once they are filled.*\(cachesync/inverted\)`
		return fmt.Errorf("caches did not sync")
	}
	_, err := c.pods.List(labels.Everything())
	return err
}

func (c *controller) withDefer(ctx context.Context) error {
	defer c.factory.Shutdown()
	if cache.WaitForCacheSync(ctx.Done(), c.synced) { // want `taken for a failure`
		return errors.New("caches did not sync")
	}
	return nil
}

func (c *controller) panics(stopCh <-chan struct{}) {
	if cache.WaitForCacheSync(stopCh, c.synced) { // want `taken for a failure`
		panic("caches did not sync")
	}
}

func (c *controller) returns(stopCh <-chan struct{}) {
	if cache.WaitForCacheSync(stopCh, c.synced) { // want `taken for a failure`
		return
	}
	_, _ = c.pods.List(labels.Everything())
}

func (c *controller) negated(stopCh <-chan struct{}) error {
	if !cache.WaitForCacheSync(stopCh, c.synced) { // want `taken for a failure`
		_, err := c.pods.List(labels.Everything())
		return err
	} else {
		return errors.New("caches did not sync")
	}
}

func (c *controller) byVariable(ctx context.Context) error {
	ok := cache.WaitForCacheSync(ctx.Done(), c.synced) // want `taken for a failure`
	if ok {
		return errors.New("caches did not sync")
	}
	return nil
}

func (c *controller) ofFactory(ctx context.Context) error {
	for kind, ok := range c.factory.WaitForCacheSync(ctx.Done()) { // want `c.factory.WaitForCacheSync is true once`
		if ok {
			return fmt.Errorf("cache of %v did not sync", kind)
		}
	}
	return nil
}

func (c *controller) eachOfFactory(stopCh <-chan struct{}) {
	for kind, ok := range c.factory.WaitForCacheSync(stopCh) { // want `c.factory.WaitForCacheSync is true once`
		if ok {
			fmt.Println("not synced", kind)
			return
		}
	}
	_, _ = c.pods.List(labels.Everything())
}

func loop(informer cache.SharedIndexInformer) {
	for informer.HasSynced() { // want `the loop ends at once while the cache is empty, and never once it is filled: informer\.HasSynced is true then.*\(cachesync/inverted\)`
		time.Sleep(time.Second)
	}
}

func poll(ctx context.Context, informer cache.SharedIndexInformer) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		return !informer.HasSynced(), nil // want `the wait ends at once while the cache is empty, and never once it is filled: informer\.HasSynced is true then.*\(cachesync/inverted\)`
	})
}

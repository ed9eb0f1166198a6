// Package texts has keys that are put together by hand.
package texts

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type controller struct {
	informer cache.SharedIndexInformer
	client   client.Client
	queue    workqueue.TypedRateLimitingInterface[string]
}

func (c *controller) register() {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.enqueue})
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: c.enqueueNode})
}

func (c *controller) enqueue(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	c.queue.Add(pod.Namespace + "/" + pod.Name)
}

// Nodes come again with their own events.
func (c *controller) enqueueNode(obj any) {
	pod, ok := obj.(*corev1.Pod) // want `hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	c.queue.Add(pod.Namespace + "/" + pod.Spec.NodeName)
}

func (c *controller) work() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		if err := c.sync(context.Background(), key); err != nil {
			c.queue.AddRateLimited(key)
		}
		c.queue.Done(key)
	}
}

func (c *controller) sync(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	pod := &corev1.Pod{}
	if err := c.client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, pod); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	pod.Labels["seen"] = "true"
	return c.client.Update(ctx, pod)
}

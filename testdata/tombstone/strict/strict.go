// Package strict has what is reported with the strict flag only.
package strict

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

type controller struct {
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[string]
	nodes    map[string]bool
}

func knowingly(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if _, ok := obj.(cache.DeletedFinalStateUnknown); ok { // want `which is recognised and dropped: what is done for a deleted object is not done; .* \(tombstone/dropped\)`
				klog.Info("missed a deletion")
				return
			}
			c.queue.Add(obj.(*corev1.Pod).Name)
		},
	})
}

func partly(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
				c.queue.Add(key)
			}
			if pod, ok := obj.(*corev1.Pod); ok { // want `which is no \*v1.Pod`
				delete(c.nodes, pod.Spec.NodeName)
			}
		},
	})
}

func saysSo(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if _, ok := obj.(*corev1.Node); !ok { // want `which is no \*v1.Node`
				// Ignore nodes whose deletion was missed.
				return
			}
			c.queue.Add("nodes")
		},
	})
}

func saysSoBelow(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			node, ok := obj.(*corev1.Node) // want `which is no \*v1.Node`
			if !ok {
				return // a tombstone: the node controller has seen to it
			}
			c.queue.Add(node.Name)
		},
	})
}

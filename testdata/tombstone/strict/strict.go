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
			if _, ok := obj.(cache.DeletedFinalStateUnknown); ok { // want `a missed deletion is lost: the tombstone is recognised and dropped; unwrap cache\.DeletedFinalStateUnknown \(tombstone/dropped\)`
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
			if pod, ok := obj.(*corev1.Pod); ok { // want `a missed deletion is lost: the tombstone is no \*v1\.Pod.*tombstone/dropped`
				delete(c.nodes, pod.Spec.NodeName)
			}
		},
	})
}

func saysSo(c *controller) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if _, ok := obj.(*corev1.Node); !ok { // want `a missed deletion is lost: the tombstone is no \*v1\.Node.*tombstone/dropped`
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
			node, ok := obj.(*corev1.Node) // want `a missed deletion is lost: the tombstone is no \*v1\.Node.*tombstone/dropped`
			if !ok {
				return // a tombstone: the node controller has seen to it
			}
			c.queue.Add(node.Name)
		},
	})
}

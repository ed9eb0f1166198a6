// Package elsewhere puts keys on a queue that another package works off.
package elsewhere

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// Source feeds a queue.
type Source struct {
	Queue workqueue.TypedRateLimitingInterface[string]
	known map[string]bool
}

// Add registers the handlers.
func (s *Source) Add(pods, nodes, claims cache.SharedIndexInformer) {
	_, _ = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: s.enqueue, DeleteFunc: s.enqueue})
	_, _ = nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: s.forget})
	_, _ = claims.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: s.owner})
}

// enqueue keeps from its worker nothing but the key of what is gone.
func (s *Source) enqueue(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj) // want `^hygiene: a missed deletion is lost: .*tombstone/raw-key`
	if err != nil {
		klog.ErrorS(err, "No key")
		return
	}
	s.Queue.Add(key)
}

// forget would have cleaned up by itself.
func (s *Source) forget(obj any) {
	node, ok := obj.(*corev1.Node) // want `^loss: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	delete(s.known, node.Name)
}

// owner would have told another object's worker, which hears of that object anyway.
func (s *Source) owner(obj any) {
	claim, ok := obj.(*corev1.PersistentVolumeClaim) // want `^hygiene: a missed deletion is lost: .*tombstone/dropped`
	if !ok {
		return
	}
	s.Queue.Add(claim.Namespace + "/" + claim.Labels["owner"])
}

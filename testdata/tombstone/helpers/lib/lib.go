// Package lib has helpers for handlers in other packages.
package lib

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type Queue = workqueue.TypedRateLimitingInterface[string]

// Enqueue refuses tombstones.
func Enqueue(obj any, q Queue) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	q.Add(key)
}

// EnqueueDeleted takes both.
func EnqueueDeleted(obj any, q Queue) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	q.Add(key)
}

// EnqueueOwner unwraps, and calls enqueue with the owner.
func EnqueueOwner(obj any, enqueue func(any)) {
	object, ok := obj.(metav1.Object)
	if !ok {
		tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
		if !ok {
			utilruntime.HandleError(fmt.Errorf("unexpected %T", obj))
			return
		}
		if object, ok = tombstone.Obj.(metav1.Object); !ok {
			return
		}
	}
	for _, owner := range object.GetOwnerReferences() {
		enqueue(cache.ExplicitKey(object.GetNamespace() + "/" + owner.Name))
	}
}

// ToPod makes nil of a tombstone.
func ToPod(obj any) *corev1.Pod {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil
	}
	return pod
}

// MustPod panics on a tombstone.
func MustPod(obj any) *corev1.Pod { return obj.(*corev1.Pod) }

// Unwrap is what an object or tombstone stands for.
func Unwrap(obj any) any {
	if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return t.Obj
	}
	return obj
}

// Meta unwraps, too.
type Accessor struct{}

func (a *Accessor) Meta(obj any) (metav1.Object, bool) {
	if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return a.Meta(t.Obj)
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, false
	}
	return m, true
}

// IsMine lets objects through only.
func IsMine(obj any) bool {
	pod, ok := obj.(*corev1.Pod)
	return ok && pod.Labels["mine"] == "true"
}

// Replica is an object with a queue of its own: it embeds the object, and what
// it does is no getter.
type Replica struct {
	*corev1.Pod
	Events Queue
}

// Receive queues what has happened to the object.
func (r *Replica) Receive(event string) { r.Events.Add(event) }

// Do calls f with whatever it gets.
func Do(obj any, f func(any)) { f(obj) }

// OnDelete makes a handler of a function.
func OnDelete(f func(obj any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{DeleteFunc: f}
}

// Handler makes a handler of functions for each kind of event.
func Handler(add func(obj any, first bool), update func(old, obj any), remove func(obj any)) cache.ResourceEventHandler {
	return &cache.ResourceEventHandlerDetailedFuncs{AddFunc: add, UpdateFunc: update, DeleteFunc: remove}
}

// OnAdd makes a handler of a function that gets no tombstones.
func OnAdd(f func(obj any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: f}
}

// Filtered makes a handler behind a filter, of which nothing is known here.
func Filtered(filter func(obj any) bool, remove func(obj any)) cache.ResourceEventHandler {
	return &cache.FilteringResourceEventHandler{
		FilterFunc: filter,
		Handler:    cache.ResourceEventHandlerFuncs{DeleteFunc: remove},
	}
}

// Describe says what it has got.
func Describe(obj any) string { return fmt.Sprintf("%T", obj) }

// The key functions of this project.
var (
	RawKeyFunc = cache.MetaNamespaceKeyFunc
	KeyFunc    = cache.DeletionHandlingMetaNamespaceKeyFunc
)

// Store is the project's own; it is not known what it does with an object.
type Store interface{ Remove(obj any) error }

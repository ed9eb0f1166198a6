// Package cacheretention keeps cached objects, with older libraries.
package cacheretention

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type watcher struct {
	queue workqueue.RateLimitingInterface
	seen  map[string]*corev1.Pod
	gone  sync.Map
	tidy  map[string]*corev1.Pod
}

// NewWatcher makes a handler.
func NewWatcher(seen, tidy map[string]*corev1.Pod) cache.ResourceEventHandler {
	return &watcher{seen: seen, tidy: tidy}
}

func (w *watcher) OnAdd(obj interface{}) {
	pod := obj.(*corev1.Pod)
	w.seen[pod.Name] = pod // want `^leak: memory leak: w\.seen keeps obj of OnAdd, and nothing in the package takes it out.*cacheretention/never-deleted`
	w.tidy[pod.Name] = pod
	w.queue.Add(pod.Name)
}

func (w *watcher) OnUpdate(_, obj interface{}) { w.OnAdd(obj) }

func (w *watcher) OnDelete(obj interface{}) {
	if pod, ok := obj.(*corev1.Pod); ok {
		w.gone.Store(pod.UID, pod) // want `^leak: memory leak: w\.gone keeps obj of OnDelete, and nothing in the package takes it out.*cacheretention/never-deleted`
		delete(w.tidy, pod.Name)
	}
}

var _ cache.ResourceEventHandler = (*watcher)(nil)

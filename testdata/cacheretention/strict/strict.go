// Package strict keeps cached objects as its author may have meant to.
package strict

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

type controller struct {
	seen   map[string]*corev1.Pod
	copies map[string]*corev1.Pod
	last   *corev1.Pod
	named  map[string]*corev1.Pod
}

func (c *controller) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			c.seen[pod.Name] = pod              // want `^leak: memory may leak: c\.seen keeps obj of AddFunc.*cacheretention/kept`
			c.copies[pod.Name] = pod.DeepCopy() // want `^leak: memory may leak: c\.copies keeps a copy of obj of AddFunc.*cacheretention/kept`
			c.last = pod                        // want `^leak: stale reads: c\.last keeps obj of AddFunc when it has changed or is deleted.*cacheretention/kept`
			c.named["latest"] = pod             // want `c\.named keeps`
		},
		DeleteFunc: func(obj any) { delete(c.seen, "a") },
	})
}

// Right in any case: no object is kept.
type counter struct {
	versions map[string]string
	count    map[string]int
}

func (c *counter) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			c.versions[pod.Name] = pod.ResourceVersion
			c.count[pod.Name]++
		},
	})
}

// Package cachemutation has the mistakes with client-go and controller-runtime
// as they were before generics.
package cachemutation

import (
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type controller struct {
	pods     corelisters.PodLister
	informer cache.SharedIndexInformer
}

// Mistakes.

func (c *controller) field(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	pod.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: pod\.Labels\["a"\] belongs to the informer cache \(c\.pods\.Get, line \d+\).*cachemutation/lister-object`
}

func (c *controller) elements() {
	pods, _ := c.pods.List(labels.Everything())
	for _, pod := range pods {
		pod.Spec.NodeName = "a" // want `cachemutation/lister-object`
	}
}

func (c *controller) store(key string) {
	obj, exists, err := c.informer.GetIndexer().GetByKey(key)
	if err == nil && exists {
		obj.(*corev1.Pod).Labels = nil // want `^loss: readers get unsaved changes: obj\.\(\*corev1\.Pod\)\.Labels belongs to the informer cache \(c\.informer\.GetByKey, line \d+\).*cachemutation/lister-object`
	}
}

func (c *controller) sorted(name string) {
	pod, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	sort.Strings(pod.Finalizers) // want `cachemutation/slice-in-place`
}

func (c *controller) register() {
	_, _ = c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj interface{}) {
			obj.(*corev1.Pod).Labels = nil // want `^hygiene: readers get unsaved changes: obj\.\(\*corev1\.Pod\)\.Labels belongs to the informer cache \(obj of AddFunc\).*cachemutation/handler-argument`
		},
	})
}

func mapFunc() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(obj client.Object) []reconcile.Request {
		obj.SetLabels(nil) // want `^hygiene: readers get unsaved changes: obj belongs to the informer cache \(obj of a map function\).*cachemutation/handler-argument`
		return nil
	})
}

func filter() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		e.ObjectNew.SetManagedFields(nil) // want `^hygiene: readers get unsaved changes: e\.ObjectNew belongs to the informer cache \(e\.ObjectNew of UpdateFunc\).*cachemutation/handler-argument`
		return true
	}}
}

// Right.

func (c *controller) copied(name string) {
	cached, err := c.pods.Pods("ns").Get(name)
	if err != nil {
		return
	}
	pod := cached.DeepCopy()
	pod.Labels["a"] = "b"
}

func (c *controller) listSorted() {
	pods, _ := c.pods.List(labels.Everything())
	sort.Slice(pods, func(i, j int) bool { return pods[i].Name < pods[j].Name })
}

func (c *controller) transformed() error {
	return c.informer.SetTransform(func(obj interface{}) (interface{}, error) {
		obj.(*corev1.Pod).ManagedFields = nil
		return obj, nil
	})
}

func (c *controller) registerReader(seen map[string]bool) {
	_, _ = c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj interface{}) { seen[obj.(*corev1.Pod).Name] = true },
	})
}

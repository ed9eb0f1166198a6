// Package stores has objects of informers' stores, and of others.
package stores

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

type controller struct {
	informer cache.SharedIndexInformer
	indexer  cache.Indexer
	memo     cache.Store
}

func newController(factory informers.SharedInformerFactory) *controller {
	informer := factory.Core().V1().Pods().Informer()
	return &controller{informer: informer, indexer: informer.GetIndexer(), memo: cache.NewStore(cache.MetaNamespaceKeyFunc)}
}

// Mistakes.

func (c *controller) byKey(key string) {
	obj, exists, err := c.informer.GetStore().GetByKey(key)
	if !exists || err != nil {
		return
	}
	obj.(*corev1.Pod).Status.Phase = "" // want `^loss: readers get unsaved changes: obj\.\(\*corev1\.Pod\)\.Status\.Phase belongs to the informer cache \(c\.informer\.GetByKey, line \d+\).*cachemutation/lister-object`
}

func (c *controller) listed() {
	for _, obj := range c.indexer.List() {
		if pod, ok := obj.(*corev1.Pod); ok {
			pod.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: pod\.Labels\["a"\] belongs to the informer cache \(c\.indexer\.List, line \d+\).*cachemutation/lister-object`
		}
	}
}

func (c *controller) byIndex() {
	objects, _ := c.indexer.ByIndex("node", "a")
	for _, obj := range objects {
		update := func(pod *corev1.Pod) {
			pod.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: pod\.Labels\["a"\] belongs to the informer cache \(c\.indexer\.ByIndex, line \d+\).*cachemutation/lister-object`
		}
		update(obj.(*corev1.Pod))
	}
}

func (c *controller) listAll() error {
	return cache.ListAllByNamespace(c.indexer, "ns", labels.Everything(), func(obj any) {
		change(obj.(*corev1.Pod).Spec) // want `^loss: readers get unsaved changes: change writes to spec\.Containers\[0\]\.Image \(line \d+\) of the informer cache's object from line \d+.*cachemutation/through-helper`
	})
}

func change(spec corev1.PodSpec) {
	spec.NodeName = "own"
	spec.Containers[0].Image = "a"
}

func (c *controller) listAllMethod() error {
	return cache.ListAll(c.indexer, labels.Everything(), c.visit) // want `^crash: crash if the map is read meanwhile: visit writes to pod\.Labels\["a"\] \(line \d+\) of the informer cache's object from line \d+.*cachemutation/through-helper`
}

func (c *controller) visit(obj any) {
	pod := obj.(*corev1.Pod)
	pod.Labels["a"] = "b"
}

func (c *controller) collectsAll() {
	var pods []*corev1.Pod
	_ = cache.ListAll(c.indexer, labels.Everything(), func(obj any) { pods = append(pods, obj.(*corev1.Pod)) })
	for _, pod := range pods {
		pod.Labels["a"] = "b" // want `^crash: crash if the map is read meanwhile: pod\.Labels\["a"\] belongs to the informer cache \(ListAll, line \d+\).*cachemutation/lister-object`
	}
}

// Right.

func (c *controller) ownMemo(pod *corev1.Pod) {
	obj, exists, err := c.memo.GetByKey("a")
	if !exists || err != nil {
		return
	}
	obj.(*corev1.Pod).Labels["a"] = "b"
}

func ownStore() {
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, obj := range store.List() {
		obj.(*corev1.Pod).Labels["a"] = "b"
	}
}

func (c *controller) sliceOfStore() {
	objects := c.indexer.List()
	objects[0] = nil
	objects = append(objects[:0], objects[1:]...)
	_ = objects
}

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
	obj.(*corev1.Pod).Status.Phase = "" // want `which c\.informer\.GetByKey returned`
}

func (c *controller) listed() {
	for _, obj := range c.indexer.List() {
		if pod, ok := obj.(*corev1.Pod); ok {
			pod.Labels["a"] = "b" // want `which c\.indexer\.List returned`
		}
	}
}

func (c *controller) byIndex() {
	objects, _ := c.indexer.ByIndex("node", "a")
	for _, obj := range objects {
		update := func(pod *corev1.Pod) {
			pod.Labels["a"] = "b" // want `which c\.indexer\.ByIndex returned`
		}
		update(obj.(*corev1.Pod))
	}
}

func (c *controller) listAll() error {
	return cache.ListAllByNamespace(c.indexer, "ns", labels.Everything(), func(obj any) {
		change(obj.(*corev1.Pod).Spec) // want `change, which writes to spec\.Containers\[0\]\.Image .* which ListAllByNamespace returned`
	})
}

func change(spec corev1.PodSpec) {
	spec.NodeName = "own"
	spec.Containers[0].Image = "a"
}

func (c *controller) listAllMethod() error {
	return cache.ListAll(c.indexer, labels.Everything(), c.visit) // want `visit, which writes to pod\.Labels\["a"\]`
}

func (c *controller) visit(obj any) {
	pod := obj.(*corev1.Pod)
	pod.Labels["a"] = "b"
}

func (c *controller) collectsAll() {
	var pods []*corev1.Pod
	_ = cache.ListAll(c.indexer, labels.Everything(), func(obj any) { pods = append(pods, obj.(*corev1.Pod)) })
	for _, pod := range pods {
		pod.Labels["a"] = "b" // want `which ListAll returned`
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

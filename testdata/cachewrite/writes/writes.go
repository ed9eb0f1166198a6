// Package writes has controllers that write to the stores of their informers.
package writes

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

type controller struct {
	client      kubernetes.Interface
	rsInformer  cache.SharedIndexInformer
	replicaSets appsinformers.ReplicaSetInformer
	pods        cache.Indexer
	ready       func() cache.Store
	byKind      map[schema.GroupVersionKind]cache.Store
}

func newController(client kubernetes.Interface, factory informers.SharedInformerFactory) *controller {
	pods := factory.Core().V1().Pods().Informer()
	return &controller{
		client:      client,
		rsInformer:  factory.Apps().V1().ReplicaSets().Informer(),
		replicaSets: factory.Apps().V1().ReplicaSets(),
		pods:        pods.GetIndexer(),
		byKind:      map[schema.GroupVersionKind]cache.Store{{Kind: "Pod"}: pods.GetStore()},
	}
}

// The answer of the API server is put into the cache, past the watch.
func (c *controller) scale(ctx context.Context, rs *appsv1.ReplicaSet) error {
	updated, err := c.client.AppsV1().ReplicaSets(rs.Namespace).Update(ctx, rs, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return c.rsInformer.GetStore().Update(updated) // want `^loss: a newer version from the watch may be lost: c\.rsInformer\.GetStore\(\)\.Update puts updated into the informer's store.*cachewrite/put`
}

func (c *controller) create(ctx context.Context, rs *appsv1.ReplicaSet) (*appsv1.ReplicaSet, error) {
	created, err := c.client.AppsV1().ReplicaSets(rs.Namespace).Create(ctx, rs, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	if err := c.replicaSets.Informer().GetIndexer().Add(created); err != nil { // want `^loss: a newer version from the watch may be lost: c\.replicaSets\.Informer\(\)\.GetIndexer\(\)\.Add puts created into the informer's store.*cachewrite/put`
		return nil, err
	}
	return created, nil
}

// The object from before the patch: the cache keeps it.
func (c *controller) patch(ctx context.Context, rs *appsv1.ReplicaSet, patch []byte) error {
	_, err := c.client.AppsV1().ReplicaSets(rs.Namespace).Patch(ctx, rs.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err == nil {
		indexer := c.rsInformer.GetIndexer()
		err = indexer.Update(rs) // want `^loss: a newer version from the watch may be lost: indexer\.Update puts rs into the informer's store.*cachewrite/put`
	}
	return err
}

func (c *controller) remove(ctx context.Context, pod *corev1.Pod) {
	if err := c.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{}); err == nil {
		_ = c.pods.Delete(pod) // want `^loss: delete handlers may never run: c\.pods\.Delete takes pod out of the informer's store.*cachewrite/delete`
	}
}

func (c *controller) refresh(ctx context.Context) error {
	list, err := c.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	objects := make([]any, 0, len(list.Items))
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return c.pods.Replace(objects, list.ResourceVersion) // want `^loss: what the watch has brought meanwhile is lost: c\.pods\.Replace replaces all of the informer's store.*cachewrite/replace`
}

// A handler that takes out what it does not want to keep.
func (c *controller) register() {
	c.rsInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			store := c.rsInformer.GetStore()
			go func() {
				_ = store.Delete(obj) // want `^loss: delete handlers may never run: store\.Delete takes obj out of the informer's store.*cachewrite/delete`
			}()
		},
		UpdateFunc: func(_, obj any) {
			rs := obj.(*appsv1.ReplicaSet).DeepCopy()
			rs.ManagedFields = nil
			_ = c.rsInformer.GetIndexer().Update(rs) // want `^loss: a newer version from the watch may be lost: c\.rsInformer\.GetIndexer\(\)\.Update puts rs into the informer's store.*cachewrite/put`
		},
	})
}

func (c *controller) ofKind(kind schema.GroupVersionKind, obj any) {
	if store, ok := c.byKind[kind]; ok {
		_ = store.Add(obj) // want `^loss: a newer version from the watch may be lost: store\.Add puts obj into the informer's store.*cachewrite/put`
	}
	for _, store := range c.byKind {
		_ = store.Update(obj) // want `^loss: a newer version from the watch may be lost: store\.Update puts obj into the informer's store.*cachewrite/put`
	}
}

// NewInformer returns the store that it fills.
func watchPods(lw cache.ListerWatcher, stop chan struct{}, pod *corev1.Pod) {
	store, informer := cache.NewInformer(lw, &corev1.Pod{}, time.Hour, cache.ResourceEventHandlerFuncs{})
	go informer.Run(stop)
	_ = store.Add(pod) // want `^loss: a newer version from the watch may be lost: store\.Add puts pod into the informer's store.*cachewrite/put`
}

func shared(lw cache.ListerWatcher, stop chan struct{}, pod *corev1.Pod) {
	informer := cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, cache.Indexers{})
	go informer.Run(stop)
	_ = informer.GetIndexer().Add(pod) // want `^loss: a newer version from the watch may be lost: informer\.GetIndexer\(\)\.Add puts pod into the informer's store.*cachewrite/put`
}

func started(client kubernetes.Interface, stop chan struct{}, pod *corev1.Pod) {
	factory := informers.NewSharedInformerFactory(client, 0)
	store := factory.Core().V1().Pods().Informer().GetStore()
	factory.Start(stop)
	_ = store.Update(pod) // want `^loss: a newer version from the watch may be lost: store\.Update puts pod into the informer's store.*cachewrite/put`
}

// Listers as some controllers have them: a struct around the store.
type podLister struct{ cache.Store }

type informersAndListers struct {
	informer cache.SharedIndexInformer
	lister   podLister
}

func newListers(informer cache.SharedIndexInformer) *informersAndListers {
	l := &informersAndListers{informer: informer}
	l.lister.Store = informer.GetStore()
	return l
}

func (l *informersAndListers) forget(pod *corev1.Pod) {
	_ = l.lister.Delete(pod) // want `^loss: delete handlers may never run: l\.lister\.Delete takes pod out of the informer's store.*cachewrite/delete`
}

// Package cachewrite writes to the stores of informers, with older libraries.
package cachewrite

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

type controller struct {
	client     kubernetes.Interface
	rsInformer cache.SharedIndexInformer
	store      cache.Store
	memo       cache.Store
}

func newController(client kubernetes.Interface, rs cache.SharedIndexInformer, lw cache.ListerWatcher) *controller {
	c := &controller{client: client, rsInformer: rs, memo: cache.NewStore(cache.MetaNamespaceKeyFunc)}
	var informer cache.Controller
	c.store, informer = cache.NewIndexerInformer(lw, &corev1.Pod{}, time.Hour, cache.ResourceEventHandlerFuncs{}, cache.Indexers{})
	go informer.Run(nil)
	return c
}

func (c *controller) scale(ctx context.Context, rs *appsv1.ReplicaSet) error {
	updated, err := c.client.AppsV1().ReplicaSets(rs.Namespace).Update(ctx, rs, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return c.rsInformer.GetStore().Update(updated) // want `^loss: a newer version from the watch may be lost: c\.rsInformer\.GetStore\(\)\.Update puts updated into the informer's store.*cachewrite/put`
}

func (c *controller) remove(pod *corev1.Pod) {
	_ = c.store.Delete(pod) // want `^loss: delete handlers may never run: c\.store\.Delete takes pod out of the informer's store.*cachewrite/delete`
}

func (c *controller) remember(pod *corev1.Pod) { _ = c.memo.Add(pod) }

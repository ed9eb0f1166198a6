// Package strict has resync periods of informers that may have few objects.
package strict

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func labelled(client kubernetes.Interface) informers.SharedInformerFactory {
	ours := func(options *metav1.ListOptions) { options.LabelSelector = "app=ours" }
	return informers.NewSharedInformerFactoryWithOptions(client, 30*time.Second, informers.WithTweakListOptions(ours)) // want `^hygiene: every 30s all update handlers get all objects of informers\.NewSharedInformerFactoryWithOptions again.*resync/too-often`
}

func oneNamespace(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 30*time.Second, informers.WithNamespace("ours")) // want `^hygiene: every 30s all update handlers get all objects of informers\.NewSharedInformerFactoryWithOptions again.*resync/too-often`
}

func notShared(lw cache.ListerWatcher, handler cache.ResourceEventHandler) cache.Controller {
	_, controller := cache.NewInformer(lw, &corev1.Node{}, 30*time.Second, handler) // want `^hygiene: every 30s the handler of cache\.NewInformer gets all objects again, although nothing changed.*resync/too-often`
	return controller
}

// A single object is right here, too.
func singleObject(pods cache.Getter) cache.SharedIndexInformer {
	lw := cache.NewListWatchFromClient(pods, "configmaps", "ours", fields.OneTermEqualSelector("metadata.name", "settings"))
	return cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, 10*time.Second, cache.Indexers{})
}

// What a resync hands out is dropped.
func dropped(client kubernetes.Interface, enqueue func(obj any)) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s the informers of informers\.NewSharedInformerFactory call handlers that drop unchanged objects, for nothing.*resync/too-often`
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(oldObj, newObj any) {
			if newObj.(*corev1.Pod).ResourceVersion != oldObj.(*corev1.Pod).ResourceVersion {
				enqueue(newObj)
			}
		},
	})
	return factory
}

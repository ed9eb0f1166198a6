// Package resync has resync periods with the libraries of before generics.
package resync

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/pointer"
	ctrl "sigs.k8s.io/controller-runtime"
)

func factory(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, time.Second*30) // want `^hygiene: every 30s all update handlers get all objects of informers\.NewSharedInformerFactory again.*resync/too-often`
}

func dynamicFactory(client dynamic.Interface) dynamicinformer.DynamicSharedInformerFactory {
	return dynamicinformer.NewDynamicSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s all update handlers get all objects of dynamicinformer\.NewDynamicSharedInformerFactory again.*resync/too-often`
}

func sharedInformer(pods cache.Getter) cache.SharedIndexInformer {
	lw := cache.NewListWatchFromClient(pods, "pods", metav1.NamespaceAll, fields.Everything())
	return cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 10*time.Second, cache.Indexers{}) // want `^hygiene: every 10s all update handlers get all objects of cache\.NewSharedIndexInformer again.*resync/too-often`
}

func manager(config *rest.Config) (ctrl.Manager, error) {
	period := 30 * time.Second
	return ctrl.NewManager(config, ctrl.Options{SyncPeriod: &period}) // want `^hygiene: every 30s all controllers get all objects of their kinds again, although nothing changed.*resync/too-often`
}

func managerByPointer(config *rest.Config) (ctrl.Manager, error) {
	return ctrl.NewManager(config, ctrl.Options{SyncPeriod: pointer.Duration(time.Second)}) // want `^hygiene: every 1s all controllers get all objects of their kinds again, although nothing changed.*resync/too-often`
}

func perHandler(client kubernetes.Interface, handler cache.ResourceEventHandler) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Nodes().Informer().AddEventHandlerWithResyncPeriod(handler, 30*time.Second)
}

func singleObject(pods cache.Getter) cache.SharedIndexInformer {
	lw := cache.NewListWatchFromClient(pods, "configmaps", "ours", fields.OneTermEqualSelector("metadata.name", "settings"))
	return cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, 10*time.Second, cache.Indexers{})
}

func hours(config *rest.Config) (ctrl.Manager, error) {
	period := 10 * time.Hour
	return ctrl.NewManager(config, ctrl.Options{SyncPeriod: &period})
}

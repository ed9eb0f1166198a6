// Package mistakes has resync periods that are too short.
package mistakes

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
)

func factory(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, time.Second*30) // want `^hygiene: every 30s all update handlers get all objects of informers\.NewSharedInformerFactory again.*resync/too-often`
}

const defaultResync = 10 * time.Second

func byConstant(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, defaultResync) // want `^hygiene: every 10s all update handlers get all objects of informers\.NewSharedInformerFactoryWithOptions again.*resync/too-often`
}

var resyncPeriod = 45 * time.Second

func byVariable(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, resyncPeriod) // want `^hygiene: every 45s all update handlers get all objects of informers\.NewSharedInformerFactory again.*resync/too-often`
}

type controller struct {
	client kubernetes.Interface
	resync time.Duration
}

func newController(client kubernetes.Interface) *controller {
	return &controller{client: client, resync: 20 * time.Second}
}

func (c *controller) byField() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(c.client, c.resync) // want `^hygiene: every 20s all update handlers get all objects of informers\.NewSharedInformerFactory again.*resync/too-often`
}

func byLocal(client kubernetes.Interface, namespace string) informers.SharedInformerFactory {
	seconds := 15
	period := time.Duration(seconds) * time.Second
	return informers.NewSharedInformerFactoryWithOptions(client, period, informers.WithNamespace(namespace)) // want `^hygiene: every 15s all update handlers get all objects of informers\.NewSharedInformerFactoryWithOptions again.*resync/too-often`
}

func dynamicFactory(client dynamic.Interface) dynamicinformer.DynamicSharedInformerFactory {
	return dynamicinformer.NewDynamicSharedInformerFactory(client, 30*time.Second) // want `^hygiene: every 30s all update handlers get all objects of dynamicinformer\.NewDynamicSharedInformerFactory again.*resync/too-often`
}

func filteredWithoutFilter(client dynamic.Interface) dynamicinformer.DynamicSharedInformerFactory {
	return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 30*time.Second, metav1.NamespaceAll, nil) // want `^hygiene: every 30s all update handlers get all objects of …NewFilteredDynamicSharedInformerFactory again.*resync/too-often`
}

func metadataFactory(client metadata.Interface) metadatainformer.SharedInformerFactory {
	return metadatainformer.NewSharedInformerFactory(client, 5*time.Second) // want `^hygiene: every 5s all update handlers get all objects of metadatainformer\.NewSharedInformerFactory again.*resync/too-often`
}

func sharedInformer(client kubernetes.Interface) cache.SharedIndexInformer {
	pods := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", metav1.NamespaceAll, fields.Everything())
	return cache.NewSharedIndexInformer(pods, &corev1.Pod{}, 10*time.Second, cache.Indexers{}) // want `^hygiene: every 10s all update handlers get all objects of cache\.NewSharedIndexInformer again.*resync/too-often`
}

func ownListWatch(client kubernetes.Interface) cache.SharedInformer {
	return cache.NewSharedInformer(&cache.ListWatch{ // want `^hygiene: every 1s all update handlers get all objects of cache\.NewSharedInformer again.*resync/too-often`
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			options.Limit = 500
			return client.CoreV1().Nodes().List(nil, options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return client.CoreV1().Nodes().Watch(nil, options)
		},
	}, &corev1.Node{}, time.Second)
}

func withOptions(pods cache.Getter) cache.SharedIndexInformer {
	lw := cache.NewListWatchFromClient(pods, "pods", "", fields.Everything())
	return cache.NewSharedIndexInformerWithOptions(lw, &corev1.Pod{}, cache.SharedIndexInformerOptions{ // want `^hygiene: every 30s all update handlers get all objects of cache\.NewSharedIndexInformerWithOptions again.*resync/too-often`
		ResyncPeriod: 30 * time.Second,
	})
}

func generatedInformer(client kubernetes.Interface) cache.SharedIndexInformer {
	return coreinformers.NewPodInformer(client, metav1.NamespaceAll, 30*time.Second, cache.Indexers{}) // want `^hygiene: every 30s all update handlers get all objects of coreinformers\.NewPodInformer again.*resync/too-often`
}

func bookmarksOnly(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 30*time.Second, // want `^hygiene: every 30s all update handlers get all objects of informers\.NewSharedInformerFactoryWithOptions again.*resync/too-often`
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.AllowWatchBookmarks = true
		}))
}

func makeFactory(client kubernetes.Interface, resync time.Duration) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, resync)
}

func byParameter(client kubernetes.Interface) informers.SharedInformerFactory {
	return makeFactory(client, 30*time.Second) // want `^hygiene: every 30s all update handlers get all objects of makeFactory again \(mistakes\.go:\d+\).*resync/too-often`
}

func manager(config *rest.Config) (ctrl.Manager, error) {
	period := 30 * time.Second
	return ctrl.NewManager(config, ctrl.Options{
		Cache: runtimecache.Options{
			SyncPeriod: &period, // want `^hygiene: every 30s all controllers get all objects of their kinds again, although nothing changed.*resync/too-often`
		},
	})
}

func managerByPointer(config *rest.Config) (ctrl.Manager, error) {
	var options ctrl.Options
	options.Cache.SyncPeriod = ptr.To(10 * time.Second) // want `^hygiene: every 10s all controllers get all objects of their kinds again, although nothing changed.*resync/too-often`
	return ctrl.NewManager(config, options)
}

var syncPeriod = 20 * time.Second

func runtimeCache(config *rest.Config) (runtimecache.Cache, error) {
	return runtimecache.New(config, runtimecache.Options{SyncPeriod: &syncPeriod}) // want `^hygiene: every 20s all controllers get all objects of their kinds again, although nothing changed.*resync/too-often`
}

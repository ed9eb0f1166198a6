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
	return informers.NewSharedInformerFactory(client, time.Second*30) // want `informers.NewSharedInformerFactory: with a resync period of 30s the informers of the factory call the update handlers again for all objects every 30s, although nothing has changed, and the queues and the API server have more to do the larger the cluster is; use 0, and AddEventHandlerWithResyncPeriod for the one handler that needs it`
}

const defaultResync = 10 * time.Second

func byConstant(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, defaultResync) // want `resync period of 10s`
}

var resyncPeriod = 45 * time.Second

func byVariable(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, resyncPeriod) // want `resync period of 45s`
}

type controller struct {
	client kubernetes.Interface
	resync time.Duration
}

func newController(client kubernetes.Interface) *controller {
	return &controller{client: client, resync: 20 * time.Second}
}

func (c *controller) byField() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(c.client, c.resync) // want `resync period of 20s`
}

func byLocal(client kubernetes.Interface, namespace string) informers.SharedInformerFactory {
	seconds := 15
	period := time.Duration(seconds) * time.Second
	return informers.NewSharedInformerFactoryWithOptions(client, period, informers.WithNamespace(namespace)) // want `resync period of 15s`
}

func dynamicFactory(client dynamic.Interface) dynamicinformer.DynamicSharedInformerFactory {
	return dynamicinformer.NewDynamicSharedInformerFactory(client, 30*time.Second) // want `resync period of 30s`
}

func filteredWithoutFilter(client dynamic.Interface) dynamicinformer.DynamicSharedInformerFactory {
	return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 30*time.Second, metav1.NamespaceAll, nil) // want `resync period of 30s`
}

func metadataFactory(client metadata.Interface) metadatainformer.SharedInformerFactory {
	return metadatainformer.NewSharedInformerFactory(client, 5*time.Second) // want `resync period of 5s`
}

func sharedInformer(client kubernetes.Interface) cache.SharedIndexInformer {
	pods := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", metav1.NamespaceAll, fields.Everything())
	return cache.NewSharedIndexInformer(pods, &corev1.Pod{}, 10*time.Second, cache.Indexers{}) // want `with a resync period of 10s the shared informer calls the update handlers again`
}

func ownListWatch(client kubernetes.Interface) cache.SharedInformer {
	return cache.NewSharedInformer(&cache.ListWatch{ // want `resync period of 1s`
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
	return cache.NewSharedIndexInformerWithOptions(lw, &corev1.Pod{}, cache.SharedIndexInformerOptions{ // want `resync period of 30s`
		ResyncPeriod: 30 * time.Second,
	})
}

func generatedInformer(client kubernetes.Interface) cache.SharedIndexInformer {
	return coreinformers.NewPodInformer(client, metav1.NamespaceAll, 30*time.Second, cache.Indexers{}) // want `coreinformers.NewPodInformer: .* the shared informer calls`
}

func bookmarksOnly(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 30*time.Second, // want `resync period of 30s`
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.AllowWatchBookmarks = true
		}))
}

func makeFactory(client kubernetes.Interface, resync time.Duration) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, resync)
}

func byParameter(client kubernetes.Interface) informers.SharedInformerFactory {
	return makeFactory(client, 30*time.Second) // want `makeFactory: with a resync period of 30s the informers of the factory call \(made at mistakes/mistakes.go:\d+\) the update handlers`
}

func manager(config *rest.Config) (ctrl.Manager, error) {
	period := 30 * time.Second
	return ctrl.NewManager(config, ctrl.Options{
		Cache: runtimecache.Options{
			SyncPeriod: &period, // want `with a SyncPeriod of 30s every controller is handed all objects of its kinds again every 30s, although nothing has changed, and the queues and the API server have more to do the larger the cluster is; leave it out \(10 hours\), and return RequeueAfter for the objects that need it`
		},
	})
}

func managerByPointer(config *rest.Config) (ctrl.Manager, error) {
	var options ctrl.Options
	options.Cache.SyncPeriod = ptr.To(10 * time.Second) // want `SyncPeriod of 10s`
	return ctrl.NewManager(config, options)
}

var syncPeriod = 20 * time.Second

func runtimeCache(config *rest.Config) (runtimecache.Cache, error) {
	return runtimecache.New(config, runtimecache.Options{SyncPeriod: &syncPeriod}) // want `SyncPeriod of 20s`
}

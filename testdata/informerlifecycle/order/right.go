package order

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

func inOrder(client kubernetes.Interface, stop <-chan struct{}) corelisters.PodLister {
	factory := informers.NewSharedInformerFactory(client, 0)
	lister := factory.Core().V1().Pods().Lister()
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	return lister
}

// againByInformer gets what the lister has requested before.
func againByInformer(client kubernetes.Interface, stop <-chan struct{}) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	_ = factory.Core().V1().Pods().Lister()
	factory.Start(stop)
	return cache.WaitForCacheSync(stop, factory.Core().V1().Pods().Informer().HasSynced)
}

// startedAgain is how one more informer is added.
func startedAgain(client kubernetes.Interface, crd bool, stop <-chan struct{}) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(stop)
	if crd {
		factory.Core().V1().Nodes().Informer()
		factory.Start(stop)
	}
}

func inLoop(client dynamic.Interface, resources <-chan schema.GroupVersionResource, stop <-chan struct{}) {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	for resource := range resources {
		factory.Start(stop)
		factory.ForResource(resource)
	}
}

// runByItself needs no Start of the factory.
func runByItself(client kubernetes.Interface, stop <-chan struct{}) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	go informer.Run(stop)
	return cache.WaitForCacheSync(stop, informer.HasSynced)
}

// lateByItself was started for others.
func lateByItself(client kubernetes.Interface, stop <-chan struct{}) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Nodes().Informer()
	factory.Start(stop)
	informer := factory.Core().V1().Pods().Informer()
	go informer.Run(stop)
	return cache.WaitForCacheSync(stop, informer.HasSynced)
}

// handedOut may be started by whoever gets it.
func handedOut(client kubernetes.Interface, use func(informers.SharedInformerFactory), stop <-chan struct{}) corelisters.PodLister {
	factory := informers.NewSharedInformerFactory(client, 0)
	use(factory)
	factory.Start(stop)
	return factory.Core().V1().Pods().Lister()
}

// Group keeps its factory.
type Group struct {
	Factory informers.SharedInformerFactory
	Pods    corelisters.PodLister
}

func NewGroup(client kubernetes.Interface) *Group {
	factory := informers.NewSharedInformerFactory(client, 0)
	return &Group{Factory: factory, Pods: factory.Core().V1().Pods().Lister()}
}

// NewPods is for others to run.
func NewPods(client kubernetes.Interface) cache.SharedIndexInformer {
	return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
}

// byController has its informer requested by the function that it calls.
func byController(client kubernetes.Interface, stop <-chan struct{}) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	c := newController(factory.Core().V1().Pods())
	factory.Start(stop)
	return cache.WaitForCacheSync(stop, factory.Core().V1().Pods().Informer().HasSynced) && c.synced()
}

type controller struct{ synced cache.InformerSynced }

func newController(pods coreinformers.PodInformer) *controller {
	return &controller{synced: pods.Informer().HasSynced}
}

// sameResource names the resource twice.
func sameResource(client dynamic.Interface, stop <-chan struct{}) cache.Indexer {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods"))
	factory.Start(stop)
	return factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer().GetIndexer()
}

// deferred starts when all have been requested.
func deferred(client kubernetes.Interface, stop <-chan struct{}) {
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Start(stop)
	factory.Core().V1().Pods().Informer()
}

// runtimeCache starts what is requested late.
func runtimeCache(ctx context.Context, mgr ctrl.Manager) error {
	c := mgr.GetCache()
	go func() { _ = c.Start(ctx) }()
	_, err := c.GetInformer(ctx, new(corev1.Pod))
	return err
}

// startedBySelf hands the factory to a method that starts it.
func startedBySelf(client kubernetes.Interface, stop <-chan struct{}) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	startAll(factory, stop)
	return cache.WaitForCacheSync(stop, informer.HasSynced)
}

func startAll(factory informers.SharedInformerFactory, stop <-chan struct{}) { factory.Start(stop) }

// neverStarted waits for what never runs, which cachesync reports.
func neverStarted(client kubernetes.Interface, namespace, name string, stop <-chan struct{}) (*corev1.Pod, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	cache.WaitForCacheSync(stop, factory.Core().V1().Pods().Informer().HasSynced)
	return factory.Core().V1().Pods().Lister().Pods(namespace).Get(name)
}

// helpersInOrder has helpers request and start it, in this order.
func helpersInOrder(client kubernetes.Interface, stop <-chan struct{}) cache.Indexer {
	factory := informers.NewSharedInformerFactory(client, 0)
	indexer := nodeIndexer(factory)
	startNodes(factory, stop)
	return indexer
}

func nodeIndexer(factory informers.SharedInformerFactory) cache.Indexer {
	return factory.Core().V1().Nodes().Informer().GetIndexer()
}

func startNodes(factory informers.SharedInformerFactory, stop <-chan struct{}) { factory.Start(stop) }

// helperOfTwo is called before and after.
func helperOfTwo(client kubernetes.Interface, stop <-chan struct{}) []cache.Indexer {
	factory := informers.NewSharedInformerFactory(client, 0)
	first := podIndexer(factory)
	factory.Start(stop)
	return []cache.Indexer{first, podIndexer(factory)}
}

func podIndexer(factory informers.SharedInformerFactory) cache.Indexer {
	return factory.Core().V1().Pods().Informer().GetIndexer()
}

// helperInGoroutine starts it at some time.
func helperInGoroutine(client kubernetes.Interface, stop <-chan struct{}) cache.Indexer {
	factory := informers.NewSharedInformerFactory(client, 0)
	go startLater(factory, stop)
	return factory.Core().V1().Services().Informer().GetIndexer()
}

func startLater(factory informers.SharedInformerFactory, stop <-chan struct{}) { factory.Start(stop) }

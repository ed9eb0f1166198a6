// Package order has informers that are requested too late, or whose factory is
// never started.
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
)

func listerAfterStart(client kubernetes.Interface, stop <-chan struct{}) corelisters.PodLister {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	return factory.Core().V1().Pods().Lister() // want `the informer of Pods never runs and its cache stays empty: it is requested after the only Start \(line \d+\).*\(informerlifecycle/after-start\)`
}

// accessorBefore takes the accessor before Start, which requests nothing.
func accessorBefore(client kubernetes.Interface, stop <-chan struct{}) bool {
	factory := informers.NewSharedInformerFactory(client, 0)
	nodes := factory.Core().V1().Nodes()
	factory.Start(stop)
	return cache.WaitForCacheSync(stop, nodes.Informer().HasSynced) // want `the informer of Nodes never runs and its cache stays empty: it is requested after the only Start \(line \d+\).*\(informerlifecycle/after-start\)`
}

// oneOfTwo requests one in time.
func oneOfTwo(ctx context.Context, client kubernetes.Interface, handler cache.ResourceEventHandler) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer().AddEventHandler(handler)
	factory.StartWithContext(ctx)
	factory.Core().V1().Nodes().Informer().AddEventHandler(handler) // want `the informer of Nodes never runs and its cache stays empty: it is requested after the only Start \(line \d+\).*\(informerlifecycle/after-start\)`
}

// inTheBackground is a race that Start mostly wins.
func inTheBackground(client kubernetes.Interface, stop <-chan struct{}) corelisters.SecretLister {
	factory := informers.NewSharedInformerFactory(client, 0)
	go factory.Start(stop)
	return factory.Core().V1().Secrets().Lister() // want `the informer of Secrets never runs and its cache stays empty: it is requested after the only Start \(line \d+\).*\(informerlifecycle/after-start\)`
}

func lateResource(client dynamic.Interface, gvr schema.GroupVersionResource, stop <-chan struct{}) cache.Indexer {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	factory.Start(stop)
	return factory.ForResource(gvr).Informer().GetIndexer() // want `the informer never runs and its cache stays empty: it is requested after the only Start \(line \d+\).*\(informerlifecycle/after-start\)`
}

func byHelper(client kubernetes.Interface, stop <-chan struct{}) corelisters.PodLister {
	factory := newFactory(client)
	factory.Start(stop)
	return factory.Core().V1().Pods().Lister() // want `the informer of Pods never runs and its cache stays empty: it is requested after the only Start \(line \d+\).*\(informerlifecycle/after-start\)`
}

func newFactory(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(client, 0)
}

func readsOnly(client kubernetes.Interface, name string) (*corev1.Node, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	return factory.Core().V1().Nodes().Lister().Get(name) // want `the informer of Nodes never runs and nothing is found in its cache: its factory is never started.*\(informerlifecycle/never-started\)`
}

func readsStore(client dynamic.Interface, gvr schema.GroupVersionResource) []any {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	return factory.ForResource(gvr).Informer().GetStore().List() // want `the informer never runs and nothing is found in its cache: its factory is never started.*\(informerlifecycle/never-started\)`
}

// requestedInHelper hands the accessor to a function that requests the informer.
func requestedInHelper(client kubernetes.Interface, stop <-chan struct{}) cache.Indexer {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Start(stop)
	return indexerOf(factory.Core().V1().ConfigMaps())
}

func indexerOf(accessor coreinformers.ConfigMapInformer) cache.Indexer {
	return accessor.Informer().GetIndexer() // want `the informer of ConfigMaps never runs and its cache stays empty: it is requested after the only Start.*\(informerlifecycle/after-start\)`
}

// startedInHelper has a helper start it before.
func startedInHelper(client kubernetes.Interface, stop <-chan struct{}) cache.Indexer {
	factory := informers.NewSharedInformerFactory(client, 0)
	startOnce(factory, stop)
	return factory.Core().V1().Secrets().Informer().GetIndexer() // want `the informer of Secrets never runs and its cache stays empty: it is requested after the only Start`
}

func startOnce(factory informers.SharedInformerFactory, stop <-chan struct{}) { factory.Start(stop) }

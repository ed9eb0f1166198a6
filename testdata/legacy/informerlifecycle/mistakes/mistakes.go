// Package mistakes has informers and factories of the older client-go that are
// started too often, too early, or for ever.
package mistakes

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
)

func neverStop(informer cache.SharedIndexInformer) {
	go informer.Run(wait.NeverStop) // want `each call of neverStop leaks a watch and a cache: the informer runs with wait\.NeverStop.*\(informerlifecycle/never-stopped\)`
}

func background(client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(context.Background().Done()) // want `runs with context.Background\(\)`
}

// Reconciler does for each object what is to be done once.
type Reconciler struct {
	lw      cache.ListerWatcher
	group   wait.Group
	cache   runtimecache.Cache
	handler cache.ResourceEventHandlerFuncs
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	informer, err := r.cache.GetInformer(ctx, new(corev1.Pod))
	if err != nil {
		return ctrl.Result{}, err
	}
	informer.AddEventHandler(r.handler) // want `every event is handled once more after each reconcile, which adds another handler to the informer.*\(informerlifecycle/handler-per-event\)`

	pods := cache.NewSharedIndexInformer(r.lw, new(corev1.Pod), 0, nil)
	r.group.StartWithChannel(ctx.Done(), pods.Run) // want `each reconcile leaks a watch and a cache: it runs another informer and never stops it.*\(informerlifecycle/restarted\)`
	cache.WaitForCacheSync(ctx.Done(), pods.HasSynced)
	_, _, err = pods.GetStore().GetByKey(req.String())
	return ctrl.Result{}, err
}

// resolver starts an informer when it is first needed.
type resolver struct {
	ctx     context.Context
	client  dynamic.Interface
	mu      sync.Mutex
	ready   bool
	indexer cache.Indexer
}

func (r *resolver) get(gvr schema.GroupVersionResource) (cache.Indexer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ready {
		informer := dynamicinformer.NewFilteredDynamicInformer(r.client, gvr, "", 0, nil, nil).Informer()
		go informer.Run(r.ctx.Done()) // want `the next call of get starts another informer and this one leaks: a return does not note that it runs.*\(informerlifecycle/restarted\)`
		ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
		defer cancel()
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return nil, errors.New("not synced")
		}
		r.indexer = informer.GetIndexer()
		r.ready = true
	}
	return r.indexer, nil
}

func listerAfterStart(client kubernetes.Interface, stop <-chan struct{}) corelisters.PodLister {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Start(stop)
	return factory.Core().V1().Pods().Lister() // want `the informer of Pods never runs and its cache stays empty: it is requested after the only Start \(line \d+\).*\(informerlifecycle/after-start\)`
}

func neverStarted(client kubernetes.Interface, name string) (*corev1.Node, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	return factory.Core().V1().Nodes().Lister().Get(name) // want `the informer of Nodes never runs and nothing is found in its cache: its factory is never started.*\(informerlifecycle/never-started\)`
}

func newResolver() *resolver { return new(resolver) }

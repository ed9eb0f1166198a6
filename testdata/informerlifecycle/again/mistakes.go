// Package again has informers and factories that are made and run again and
// again.
package again

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// Reconciler makes an informer for each object.
type Reconciler struct {
	lw     cache.ListerWatcher
	config *rest.Config
	stop   chan struct{}
	group  wait.Group
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	informer := cache.NewSharedIndexInformer(r.lw, new(corev1.Pod), 0, nil)
	r.group.StartWithChannel(ctx.Done(), informer.Run) // want `each reconcile leaks a watch and a cache: it runs another informer and never stops it.*\(informerlifecycle/restarted\)`
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctrl.Result{}, ctx.Err()
	}
	return ctrl.Result{}, errors.Join(r.helper(), r.runtimeCache(ctx))
}

func (r *Reconciler) helper() error {
	informer := r.newInformer()
	r.group.StartWithChannel(r.stop, informer.Run) // want `each reconcile leaks a watch and a cache: it runs another informer and never stops it.*\(informerlifecycle/restarted\)`
	return nil
}

func (r *Reconciler) newInformer() cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(r.lw, new(corev1.Secret), 0, nil)
}

func (r *Reconciler) runtimeCache(ctx context.Context) error {
	c, err := runtimecache.New(r.config, runtimecache.Options{})
	if err != nil {
		return err
	}
	go func() {
		_ = c.Start(ctx) // handlergoroutine reports the goroutine
	}()
	return nil
}

// perEvent has a client for each cluster.
func perEvent(clusters cache.SharedIndexInformer, connect func(any) kubernetes.Interface, stop <-chan struct{}) {
	clusters.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			factory := informers.NewSharedInformerFactory(connect(obj), 0)
			factory.Core().V1().Pods().Informer()
			factory.Start(stop) // want `each event leaks a watch and a cache: it starts another factory of informers and never stops it.*\(informerlifecycle/restarted\)`
		},
	})
}

// retry leaves an informer behind for each attempt.
func retry(lw cache.ListerWatcher, stop <-chan struct{}) cache.SharedIndexInformer {
	for {
		informer := cache.NewSharedIndexInformer(lw, new(corev1.Pod), 0, nil)
		go informer.Run(stop) // want `each round of the loop leaks a watch and a cache: it runs another informer and never stops it.*\(informerlifecycle/restarted\)`
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		synced := cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
		cancel()
		if synced {
			return informer
		}
	}
}

func periodically(client kubernetes.Interface, count func(int), stop <-chan struct{}) {
	wait.Until(func() {
		factory := informers.NewSharedInformerFactory(client, 0)
		informer := factory.Core().V1().Pods().Informer()
		factory.Start(stop) // want `each round of wait\.Until leaks a watch and a cache: it starts another factory of informers and never stops it.*\(informerlifecycle/restarted\)`
		factory.WaitForCacheSync(stop)
		count(len(informer.GetStore().ListKeys()))
	}, time.Minute, stop)
}

// list is an HTTP handler.
type list struct {
	lw   cache.ListerWatcher
	stop chan struct{}
}

func (l *list) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	informer := cache.NewSharedIndexInformer(l.lw, new(corev1.Pod), 0, nil)
	go informer.Run(l.stop) // want `each request leaks a watch and a cache: it runs another informer and never stops it.*\(informerlifecycle/restarted\)`
	if cache.WaitForCacheSync(r.Context().Done(), informer.HasSynced) {
		_, _ = w.Write([]byte(informer.GetStore().ListKeys()[0]))
	}
}

func forClusters(clients <-chan kubernetes.Interface, stop <-chan struct{}) {
	for client := range clients {
		watchPods(client, stop)
	}
}

func watchPods(client kubernetes.Interface, stop <-chan struct{}) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(stop) // want `each round of the loop in forClusters leaks a watch and a cache: it starts another factory of informers and never stops it.*\(informerlifecycle/restarted\)`
}

// resolver starts informers when they are first needed.
type resolver struct {
	ctx     context.Context
	client  dynamic.Interface
	mu      sync.Mutex
	ready   bool
	indexer cache.Indexer
	byKind  map[schema.GroupVersionResource]cache.Indexer
}

// get notes only a success: each failure leaves an informer behind.
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

// getKind returns before the informer is in the map.
func (r *resolver) getKind(gvr schema.GroupVersionResource) (cache.Indexer, error) {
	if known, ok := r.byKind[gvr]; ok {
		return known, nil
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(r.client, 0)
	informer := factory.ForResource(gvr).Informer()
	factory.Start(r.ctx.Done()) // want `the next call of getKind starts another factory of informers and this one leaks: a return does not note that it runs.*\(informerlifecycle/restarted\)`
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	defer cancel()
	for !informer.HasSynced() {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
	r.byKind[gvr] = informer.GetIndexer()
	return r.byKind[gvr], nil
}

// untilStarted leaves a factory behind for each attempt that fails.
func untilStarted(client kubernetes.Interface, stop <-chan struct{}) {
	for {
		if err := startPods(client, stop); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

func startPods(client kubernetes.Interface, stop <-chan struct{}) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(stop) // want `each round of the loop in untilStarted leaks a watch and a cache: it starts another factory of informers and never stops it.*\(informerlifecycle/restarted\)`
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("not synced")
	}
	return nil
}

func newList() *list { return new(list) }

func newResolver() *resolver { return new(resolver) }

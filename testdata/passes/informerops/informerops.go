// Package informerops has the calls that concern informers, and calls that
// only look like them. Each function says what its calls do, in the order of
// the source; one that says nothing does nothing with informers.
package informerops

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// want NewFactory resync=period
// want NewFactory resync=period
// want NewFactory resync=period
func factories(c kubernetes.Interface, d dynamic.Interface, period time.Duration) {
	_ = informers.NewSharedInformerFactory(c, period)
	_ = informers.NewSharedInformerFactoryWithOptions(c, period, informers.WithNamespace("a"))
	_ = dynamicinformer.NewDynamicSharedInformerFactory(d, period)
}

// want StartFactory factory=f until=stop
// want WaitForSync factory=f until=stop
// want ShutdownFactory factory=f
// want StartFactory factory=f until=ctx
// want WaitForSync factory=f until=ctx
func lifecycle(ctx context.Context, f informers.SharedInformerFactory, stop <-chan struct{}) {
	f.Start(stop)
	f.WaitForCacheSync(stop)
	f.Shutdown()
	f.StartWithContext(ctx)
	f.WaitForCacheSyncWithContext(ctx)
}

// want RequestInformer factory=f
// want RequestInformer factory=f lister
// want RequestInformer factory=f generic
// want RequestInformer factory=f
// want RequestInformer factory=d generic
// want RequestInformer factory=d
func requests(f informers.SharedInformerFactory, d dynamicinformer.DynamicSharedInformerFactory, gvr schema.GroupVersionResource) error {
	pods := f.Core().V1().Pods()
	_ = pods.Informer()
	_ = f.Core().V1().Pods().Lister()
	generic, err := f.ForResource(gvr)
	_ = generic.Informer()
	_ = d.ForResource(gvr).Informer()
	return err
}

// The factory cannot be seen.
//
// want RequestInformer
func handedOver(pods coreinformers.PodInformer) {
	_ = pods.Informer()
}

// want NewInformer resync=period
// want NewInformer resync=period options
// want NewInformer resync=period
// want NewInformer resync=period
// want NewInformer resync=period
// want NewInformer resync=period generic
func newInformers(c kubernetes.Interface, d dynamic.Interface, lw cache.ListerWatcher, gvr schema.GroupVersionResource, period time.Duration) {
	_ = cache.NewSharedIndexInformer(lw, &corev1.Pod{}, period, nil)
	_ = cache.NewSharedIndexInformerWithOptions(lw, &corev1.Pod{}, cache.SharedIndexInformerOptions{ResyncPeriod: period})
	_, _ = cache.NewInformer(lw, &corev1.Pod{}, period, cache.ResourceEventHandlerFuncs{})
	_ = cache.NewReflector(lw, &corev1.Pod{}, nil, period)
	_ = coreinformers.NewPodInformer(c, "", period, nil)
	_ = dynamicinformer.NewFilteredDynamicInformer(d, gvr, "", period, nil, nil)
}

// want RunInformer informer=i until=stop
// want RunInformer informer=c until=stop
// want RunInformer informer=r until=ctx
// want RunInformer informer=i until=stop
// want RunInformer informer=i until=ctx
func running(ctx context.Context, i cache.SharedIndexInformer, c cache.Controller, r *cache.Reflector, stop <-chan struct{}) {
	go i.Run(stop)
	c.Run(stop)
	r.RunWithContext(ctx)
	var group wait.Group
	group.StartWithChannel(stop, i.Run)
	group.StartWithContext(ctx, i.RunWithContext)
}

// want AddHandler informer=i handler=h
// want AddHandler informer=i handler=h resync=period
// want AddHandler informer=i handler=h resync=period options
// want RemoveHandler informer=i
// want AddHandler informer=r handler=h
func handlers(i cache.SharedIndexInformer, r runtimecache.Informer, h cache.ResourceEventHandler, period time.Duration) {
	registration, _ := i.AddEventHandler(h)
	_, _ = i.AddEventHandlerWithResyncPeriod(h, period)
	_, _ = i.AddEventHandlerWithOptions(h, cache.HandlerOptions{ResyncPeriod: &period})
	_ = i.RemoveEventHandler(registration)
	_, _ = r.AddEventHandler(h)
}

// want WaitForSync until=stop synced=1
// want WaitForSync until=stop synced=2
// want WaitForSync until=ctx synced=1
// want WaitForSync until=ctx synced=1
// want HasSynced informer=i
func waiting(ctx context.Context, i cache.SharedIndexInformer, stop <-chan struct{}) {
	cache.WaitForCacheSync(stop, i.HasSynced)
	cache.WaitForNamedCacheSync("pods", stop, i.HasSynced, i.HasSynced)
	cache.WaitForNamedCacheSyncWithContext(ctx, i.HasSynced)
	cache.WaitFor(ctx, "pods", i.HasSyncedChecker())
	_ = i.HasSynced()
}

// want StartFactory factory=c until=ctx cache
// want WaitForSync factory=c until=ctx cache
// want RequestInformer factory=c cache
// want StartFactory factory=cl until=ctx cache
func runtimeCache(ctx context.Context, c runtimecache.Cache, cl cluster.Cluster, obj client.Object) error {
	if err := c.Start(ctx); err != nil {
		return err
	}
	c.WaitForCacheSync(ctx)
	_, err := c.GetInformer(ctx, obj)
	_ = cl.Start(ctx)
	return err
}

// A manager runs the program, not only its informers.
func managers(ctx context.Context, m manager.Manager) error {
	return m.Start(ctx)
}

// factory is a wrapper, or what a generator made for another project.
type factory interface {
	Start(stop <-chan struct{})
	WaitForCacheSync(stop <-chan struct{}) map[string]bool
	Backups() interface {
		Informer() cache.SharedIndexInformer
		Lister() any
	}
}

// want StartFactory factory=f until=stop
// want RequestInformer factory=f
func ownFactory(f factory, stop <-chan struct{}) {
	f.Start(stop)
	_ = f.Backups().Informer()
}

// worker runs and is no informer.
type worker struct{}

func (worker) Run(<-chan struct{}) {}

func (worker) Start(<-chan struct{}) {}

func (worker) HasSynced() bool { return true }

func notInformers(w worker, stop <-chan struct{}) {
	w.Start(stop)
	w.Run(stop)
	_ = w.HasSynced()
}

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
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

// controller starts what it needs late, and once.
type controller struct {
	client  kubernetes.Interface
	dynamic dynamic.Interface
	factory dynamicinformer.DynamicSharedInformerFactory
	stop    chan struct{}

	mu      sync.Mutex
	once    sync.Once
	started bool
	running map[string]context.CancelFunc
	stops   map[schema.GroupVersionResource]chan struct{}
	byKind  map[schema.GroupVersionResource]cache.Indexer
}

func (c *controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c.once.Do(c.start)
	c.startFlagged(ctx)
	c.late(schema.GroupVersionResource{Resource: req.Name})
	c.perCluster(req.Name)
	c.perKind(schema.GroupVersionResource{Resource: req.Name})
	_, err := c.indexerOf(schema.GroupVersionResource{Resource: req.Name})
	return ctrl.Result{}, errors.Join(err, c.untilReturn(ctx))
}

func (c *controller) start() {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(c.stop)
}

func (c *controller) startFlagged(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started {
		return
	}
	c.started = true
	factory := informers.NewSharedInformerFactory(c.client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
}

// late asks the one factory for one more informer. Start starts what is new.
func (c *controller) late(gvr schema.GroupVersionResource) {
	c.factory.ForResource(gvr)
	c.factory.Start(c.stop)
}

// perCluster keeps what stops each.
func (c *controller) perCluster(name string) {
	if _, ok := c.running[name]; ok {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.running[name] = cancel
	factory := informers.NewSharedInformerFactory(c.client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
}

func (c *controller) perKind(gvr schema.GroupVersionResource) {
	if _, ok := c.stops[gvr]; ok {
		return
	}
	stop := make(chan struct{})
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c.dynamic, 0)
	factory.ForResource(gvr)
	factory.Start(stop)
	c.stops[gvr] = stop
}

// indexerOf notes the informer before anything can fail.
func (c *controller) indexerOf(gvr schema.GroupVersionResource) (cache.Indexer, error) {
	if known, ok := c.byKind[gvr]; ok {
		return known, nil
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c.dynamic, 0)
	informer := factory.ForResource(gvr).Informer()
	c.byKind[gvr] = informer.GetIndexer()
	factory.Start(c.stop)
	if !cache.WaitForCacheSync(c.stop, informer.HasSynced) {
		return nil, errors.New("not synced")
	}
	return informer.GetIndexer(), nil
}

func (c *controller) untilReturn(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := informers.NewSharedInformerFactory(c.client, 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	return nil
}

// giveUp stops the informer that has not synced before the next try.
func giveUp(lw cache.ListerWatcher) cache.SharedIndexInformer {
	for {
		stop := make(chan struct{})
		informer := cache.NewSharedIndexInformer(lw, new(corev1.Pod), 0, nil)
		go informer.Run(stop)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		synced := cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
		cancel()
		if synced {
			return informer
		}
		close(stop)
	}
}

// forNamespaces starts one for each of a list.
func forNamespaces(client kubernetes.Interface, namespaces []string, stop <-chan struct{}) {
	for _, namespace := range namespaces {
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
		factory.Core().V1().Pods().Informer()
		factory.Start(stop)
	}
}

// whenServed waits in a loop for what it then does once.
func whenServed(ctx context.Context, client kubernetes.Interface, served func() bool) {
	for {
		if served() {
			factory := informers.NewSharedInformerFactory(client, 0)
			factory.Core().V1().Pods().Informer()
			factory.Start(ctx.Done())
			return
		}
		time.Sleep(time.Minute)
	}
}

// component is run again only when it has ended.
type component struct{ client kubernetes.Interface }

func (c *component) Run(ctx context.Context) {
	factory := informers.NewSharedInformerFactory(c.client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	<-ctx.Done()
}

func keepRunning(ctx context.Context, c *component) {
	wait.Until(func() { c.Run(ctx) }, time.Second, ctx.Done())
}

// follow has a factory for each request, which ends with it.
type follow struct{ client kubernetes.Interface }

func (f *follow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	factory := informers.NewSharedInformerFactory(f.client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(r.Context().Done())
	<-r.Context().Done()
}

// replaces stops the one before.
type replaces struct {
	client kubernetes.Interface
	stop   chan struct{}
}

func (p *replaces) ServeHTTP(http.ResponseWriter, *http.Request) {
	if p.stop != nil {
		close(p.stop)
	}
	p.stop = make(chan struct{})
	factory := informers.NewSharedInformerFactory(p.client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Start(p.stop)
}

// getWhole gives up only when all is over.
func (c *controller) getWhole(gvr schema.GroupVersionResource) (cache.Indexer, error) {
	if known, ok := c.byKind[gvr]; ok {
		return known, nil
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c.dynamic, 0)
	informer := factory.ForResource(gvr).Informer()
	factory.Start(c.stop)
	for _, synced := range factory.WaitForCacheSync(c.stop) {
		if !synced {
			return nil, errors.New("not synced")
		}
	}
	c.byKind[gvr] = informer.GetIndexer()
	return c.byKind[gvr], nil
}

// untilServed tries until it has started.
func untilServed(client kubernetes.Interface, served func() error, stop <-chan struct{}) {
	for {
		if err := startIfServed(client, served, stop); err == nil {
			return
		}
		time.Sleep(time.Second)
	}
}

func startIfServed(client kubernetes.Interface, served func() error, stop <-chan struct{}) error {
	if err := served(); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced) {
		return errors.New("stopped")
	}
	return nil
}

// builder makes its factory of the same client each time, which reconcileclient
// reports.
type builder struct{ client kubernetes.Interface }

func (b *builder) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	factory := informers.NewSharedInformerFactory(b.client, 0)
	lister := factory.Core().V1().Pods().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	_, err := lister.Pods(req.Namespace).Get(req.Name)
	return ctrl.Result{}, err
}

// builderBehind does so, and leaves the rest to helpers.
type builderBehind struct{ client kubernetes.Interface }

func (b *builderBehind) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	factory := informers.NewSharedInformerFactory(b.client, 0)
	lister := podLister(factory)
	startUntil(factory, ctx)
	factory.WaitForCacheSync(ctx.Done())
	_, err := podOf(lister, &req)
	return ctrl.Result{}, err
}

func podLister(factory informers.SharedInformerFactory) corelisters.PodLister {
	return factory.Core().V1().Pods().Lister()
}

func startUntil(factory informers.SharedInformerFactory, ctx context.Context) {
	factory.Start(ctx.Done())
}

func podOf(lister corelisters.PodLister, req *ctrl.Request) (*corev1.Pod, error) {
	return lister.Pods(req.Namespace).Get(req.Name)
}

// The loop makes informers until it has one to run, and then ends.
func untilListed(list func() (cache.ListerWatcher, error), handler cache.ResourceEventHandler, stop <-chan struct{}) {
	for {
		lw, err := list()
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		informer := cache.NewSharedIndexInformer(lw, new(corev1.Pod), 0, nil)
		go informer.Run(stop)
		break
	}
}

// To add a handler fails only where the informer has stopped.
func untilHandled(list func() (cache.ListerWatcher, error), handler cache.ResourceEventHandler, stop <-chan struct{}) {
	for {
		lw, err := list()
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		first := cache.NewSharedIndexInformer(lw, new(corev1.Pod), 0, nil)
		go first.Run(stop)
		second := cache.NewSharedIndexInformer(lw, new(corev1.Node), 0, nil)
		if _, err := second.AddEventHandler(handler); err != nil {
			time.Sleep(time.Second)
			continue
		}
		go second.Run(stop)
		break
	}
}

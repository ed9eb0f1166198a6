package cases

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// base has the queue of each controller that embeds it.
type base struct {
	queue workqueue.TypedRateLimitingInterface[string]
}

// timers is a controller of client-go: somebody else says how many workers it has.
type timers struct {
	base
	stops map[string]func()
}

func (t *timers) Run(workers int, stop <-chan struct{}) {
	defer t.queue.ShutDown()
	for range workers {
		go wait.Until(t.work, time.Second, stop)
	}
	<-stop
}

func (t *timers) work() {
	for t.next() {
	}
}

func (t *timers) next() bool {
	key, quit := t.queue.Get()
	if quit {
		return false
	}
	defer t.queue.Done(key)
	t.sync(key)
	return true
}

func (t *timers) sync(key string) {
	stop := func(name string) {
		if end := t.stops[name]; end != nil {
			end()
		}
	}
	stop(key)
	_, cancel := context.WithCancel(context.Background())
	t.stops[key] = cancel // want `the operator dies of concurrent map writes: 5 workers write timers.stops without a lock`
}

func runTimers(stop <-chan struct{}) {
	t := &timers{stops: make(map[string]func())}
	go t.Run(5, stop)
}

// single embeds the same queue and has one worker.
type single struct {
	base
	seen map[string]bool
}

func (s *single) Run(stop <-chan struct{}) {
	defer s.queue.ShutDown()
	go wait.Until(func() {
		for s.next() {
		}
	}, time.Second, stop)
	<-stop
}

func (s *single) next() bool {
	key, quit := s.queue.Get()
	if quit {
		return false
	}
	defer s.queue.Done(key)
	s.seen[key] = true
	return true
}

// locked has a mutex.
type locked struct {
	base
	mu   sync.Mutex
	seen map[string]bool
}

func (l *locked) Run(workers int, stop <-chan struct{}) {
	defer l.queue.ShutDown()
	for range workers {
		go wait.Until(func() {
			for l.next() {
			}
		}, time.Second, stop)
	}
	<-stop
}

func (l *locked) next() bool {
	key, quit := l.queue.Get()
	if quit {
		return false
	}
	defer l.queue.Done(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[key] = true
	return true
}

// counts has as many workers as a configuration says, and keeps the reconciler in a struct that
// each Reconcile makes.
type counts struct {
	client.Client
	tries map[string]int
	inner map[string]*instance
}

type instance struct {
	counts *counts
	name   string
	own    map[string]bool
}

func (c *counts) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	i := &instance{counts: c, name: req.Name, own: make(map[string]bool)}
	i.count()
	return ctrl.Result{}, nil
}

func (i *instance) count() {
	i.own[i.name] = true
	i.counts.tries[i.name]++ // want `the operator dies of concurrent map writes: several workers write counts.tries without a lock`
}

type config struct{ Workers int }

func setUpCounts(mgr manager.Manager, cfg *config) error { return new(counts).setUp(mgr, cfg.Workers) }

func (c *counts) setUp(mgr manager.Manager, workers int) error {
	c.tries = make(map[string]int)
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(c)
}

// fresh makes a reconciler for each object.
type fresh struct {
	client.Client
	seen map[string]bool
}

func (f *fresh) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	own := &fresh{Client: f.Client, seen: make(map[string]bool)}
	own.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func (f *fresh) setUp(mgr manager.Manager, workers int) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(f)
}

// The handlers of one informer run one after the other.
type handled struct {
	seen map[string]bool
}

func (h *handled) register(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { h.seen["added"] = true },
	})
	return err
}

// watched is filled by workers under a lock, and the filter does not take it.
type watched struct {
	base
	mu        sync.Mutex
	pods      map[string]bool
	nodes     map[string]bool
	fromStart map[string]bool
}

func (w *watched) register(informer cache.SharedIndexInformer) error {
	w.fromStart = map[string]bool{"kube-system": true}
	_, err := informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			key, err := cache.MetaNamespaceKeyFunc(obj)
			return err == nil && w.pods[key] // want `the operator dies of concurrent map access: this handler looks into pods without the lock that watched.next takes to change it; take it here, too`
		},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) {
				key, err := cache.MetaNamespaceKeyFunc(obj)
				if err == nil && w.isKnown(key) && !w.fromStart[key] {
					w.queue.Add(key)
				}
			},
			UpdateFunc: func(_, obj any) {
				if b, ok := obj.(*v1.Backup); ok && b.Labels["done"] == "" { // another object's
					w.queue.Add(b.Name)
				}
			},
			DeleteFunc: func(obj any) {
				w.mu.Lock()
				defer w.mu.Unlock()
				key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
				w.drop(key)
			},
		},
	})
	return err
}

func (w *watched) isKnown(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.nodes[key]
}

func (w *watched) drop(key string) { delete(w.nodes, key) }

func (w *watched) Run(workers int, stop <-chan struct{}) {
	defer w.queue.ShutDown()
	for range workers {
		go wait.Until(func() {
			for w.next() {
			}
		}, time.Second, stop)
	}
	<-stop
}

func (w *watched) next() bool {
	key, quit := w.queue.Get()
	if quit {
		return false
	}
	defer w.queue.Done(key)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pods[key], w.nodes[key] = true, true
	own := &v1.Backup{}
	own.Labels = make(map[string]string)
	labelled(own)
	return true
}

func labelled(b *v1.Backup) { b.Labels["done"] = "true" }

// literal works in a literal, of which there is one.
type literal struct {
	queue workqueue.TypedRateLimitingInterface[string]
	seen  map[string]bool
}

func (a *literal) Run(stop <-chan struct{}) {
	go func() {
		for {
			key, quit := a.queue.Get()
			if quit {
				return
			}
			a.sync(key)
			a.queue.Done(key)
		}
	}()
	<-stop
	a.queue.ShutDown()
}

func (a *literal) sync(key string) { a.seen[key] = true }

func runLiteral(stop <-chan struct{}) {
	a := &literal{seen: make(map[string]bool)}
	go a.Run(stop)
}

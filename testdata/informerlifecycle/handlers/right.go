package handlers

import (
	"context"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
)

// guarded adds its handlers once, in as many ways.
type guarded struct {
	once     sync.Once
	mu       sync.Mutex
	started  bool
	byName   map[string]bool
	handlers map[string][]cache.ResourceEventHandler
	informer cache.SharedIndexInformer
	handler  cache.ResourceEventHandlerFuncs

	registration cache.ResourceEventHandlerRegistration
}

func (g *guarded) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	g.once.Do(g.register)
	g.flagged()
	g.keyed(req.Name)
	if err := g.ifUnregistered(); err != nil {
		return ctrl.Result{}, err
	}
	g.unlessKnown(g.handler)
	return ctrl.Result{}, g.forAWhile(ctx)
}

// unlessKnown looks the handler up, and notes it, by helpers.
func (g *guarded) unlessKnown(handler cache.ResourceEventHandler) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isKnown("pods", handler) {
		return
	}
	if _, err := g.informer.AddEventHandler(handler); err != nil {
		return
	}
	g.note("pods", handler)
}

func (g *guarded) isKnown(resource string, handler cache.ResourceEventHandler) bool {
	for _, known := range g.handlers[resource] {
		if known == handler {
			return true
		}
	}
	return false
}

func (g *guarded) note(resource string, handler cache.ResourceEventHandler) {
	g.handlers[resource] = append(g.handlers[resource], handler)
}

func (g *guarded) register() { g.informer.AddEventHandler(g.handler) }

func (g *guarded) flagged() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.started {
		return
	}
	g.started = true
	g.informer.AddEventHandler(g.handler)
}

func (g *guarded) keyed(name string) {
	if g.byName[name] {
		return
	}
	g.informer.AddEventHandler(g.handler)
	g.byName[name] = true
}

func (g *guarded) ifUnregistered() (err error) {
	if g.registration == nil {
		g.registration, err = g.informer.AddEventHandler(g.handler)
	}
	return err
}

func (g *guarded) forAWhile(ctx context.Context) error {
	registration, err := g.informer.AddEventHandler(g.handler)
	if err != nil {
		return err
	}
	defer g.informer.RemoveEventHandler(registration) //nolint:errcheck // on the way out
	<-ctx.Done()
	return nil
}

// setUp adds handlers for each of a list.
func setUp(all []cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	for _, informer := range all {
		informer.AddEventHandler(handler)
	}
}

// whenServed waits in a loop for what it then does once.
func whenServed(ctx context.Context, informer cache.SharedIndexInformer, served func() bool) {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if served() {
				informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
				return
			}
		}
	}
}

// untilRegistered tries until it has added its handler.
func untilRegistered(ctx context.Context, informer cache.SharedIndexInformer, served func() bool) {
	for ctx.Err() == nil {
		if registerIfServed(informer, served) {
			return
		}
		time.Sleep(time.Minute)
	}
}

func registerIfServed(informer cache.SharedIndexInformer, served func() bool) bool {
	if !served() {
		return false
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
		return false
	}
	return true
}

// untilRetried tries by another function, whose results are not its own.
func untilRetried(ctx context.Context, informer cache.SharedIndexInformer, retry func(func()) (int, error)) {
	for ctx.Err() == nil {
		if _, err := retry(func() { informer.AddEventHandler(cache.ResourceEventHandlerFuncs{}) }); err == nil {
			return
		}
	}
}

// polled ends with the round in which it adds.
func polled(ctx context.Context, informer cache.SharedIndexInformer, served func() bool) error {
	return wait.PollUntilContextCancel(ctx, time.Minute, true, func(context.Context) (bool, error) {
		if !served() {
			return false, nil
		}
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
		return true, err
	})
}

// component is run again only when it has ended.
type component struct{ informer cache.SharedIndexInformer }

func (c *component) Run(ctx context.Context) {
	c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	<-ctx.Done()
}

func keepRunning(ctx context.Context, c *component) {
	wait.Until(func() { c.Run(ctx) }, time.Second, ctx.Done())
}

// ofTheRequest has an informer for each request, which ends with it.
type ofTheRequest struct{ client kubernetes.Interface }

func (s *ofTheRequest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	factory := informers.NewSharedInformerFactory(s.client, 0)
	factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { _, _ = w.Write([]byte(obj.(*corev1.Pod).Name)) },
	})
	factory.Start(r.Context().Done())
	<-r.Context().Done()
}

// whenDefined waits for the one definition that it needs.
func whenDefined(definitions, backups cache.SharedIndexInformer, factory informers.SharedInformerFactory, stop <-chan struct{}) {
	definitions.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if definition, ok := obj.(metav1.Object); !ok || definition.GetName() != "backups.example.com" {
				return
			}
			backups.AddEventHandler(cache.ResourceEventHandlerFuncs{})
			factory.Start(stop)
		},
	})
}

// remembering is an informer that removes all handlers which were added through
// it at once.
type remembering interface {
	cache.SharedIndexInformer
	RemoveEventHandlers()
}

// restarted stops what ran for the object before, handlers and all, and starts
// it anew.
type restarted struct {
	running  sync.Map
	informer remembering
	handler  cache.ResourceEventHandlerFuncs
}

func (r *restarted) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if before, running := r.running.LoadAndDelete(req.Name); running {
		before.(remembering).RemoveEventHandlers()
	}
	_, err := r.informer.AddEventHandler(r.handler)
	r.running.Store(req.Name, r.informer)
	return ctrl.Result{}, err
}

// rounds makes a factory of its own for each round, by an interface that says nothing
// of that, and hands its informers on.
type rounds struct {
	makeFactory func() podInformers
}

type podInformers interface {
	Informer() cache.SharedIndexInformer
	Run(ctx context.Context)
}

func (r *rounds) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	round, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	factory := r.makeFactory()
	r.listen(factory.Informer())
	factory.Run(round)
	return ctrl.Result{}, nil
}

func (r *rounds) listen(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
}

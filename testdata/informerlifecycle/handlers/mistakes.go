// Package handlers has event handlers that are added again and again.
package handlers

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// Reconciler adds a handler for each object.
type Reconciler struct {
	cache    runtimecache.Cache
	informer cache.SharedIndexInformer
	factory  informers.SharedInformerFactory
	handler  cache.ResourceEventHandlerFuncs
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	informer, err := r.cache.GetInformer(ctx, new(corev1.Pod))
	if err != nil {
		return ctrl.Result{}, err
	}
	if _, err := informer.AddEventHandler(r.handler); err != nil { // want `every event is handled once more after each reconcile, which adds another handler to the informer.*\(informerlifecycle/handler-per-event\)`
		return ctrl.Result{}, err
	}
	r.watch(req.Name)
	return ctrl.Result{}, r.watchNodes()
}

func (r *Reconciler) watch(name string) {
	r.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{ // want `every event is handled once more after each reconcile, which adds another handler to the informer.*\(informerlifecycle/handler-per-event\)`
		AddFunc: func(obj any) { println(name) },
	})
}

func (r *Reconciler) watchNodes() error {
	_, err := r.factory.Core().V1().Nodes().Informer().AddEventHandlerWithResyncPeriod(r.handler, time.Minute) // want `adds another handler to the informer of Nodes`
	return err
}

// perEvent adds one informer's handler from another's.
func perEvent(pods, nodes cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			nodes.AddEventHandler(handler) // want `every event is handled once more after each event, which adds another handler to the informer.*\(informerlifecycle/handler-per-event\)`
		},
	})
}

func periodically(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler, stop <-chan struct{}) {
	wait.Until(func() {
		informer.AddEventHandler(handler) // want `every event is handled once more after each round of wait\.Until, which adds another handler to the informer.*\(informerlifecycle/handler-per-event\)`
	}, time.Minute, stop)
}

func inLoop(ctx context.Context, informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			informer.AddEventHandler(handler) // want `every event is handled once more after each round of the loop, which adds another handler to the informer.*\(informerlifecycle/handler-per-event\)`
		}
	}
}

func byLoop(informer cache.SharedIndexInformer, updates <-chan cache.ResourceEventHandler) {
	for handler := range updates {
		register(informer, handler)
	}
}

func register(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	informer.AddEventHandler(handler) // want `every event is handled once more after each round of the loop in byLoop, which adds another handler to the informer.*\(informerlifecycle/handler-per-event\)`
}

// stream is an HTTP handler.
type stream struct{ informer cache.SharedIndexInformer }

func (s *stream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{ // want `every event is handled once more after each request, which adds another handler to the informer.*\(informerlifecycle/handler-per-event\)`
		AddFunc: func(any) { _, _ = w.Write([]byte("added")) },
	})
	<-r.Context().Done()
}

func newStream() *stream { return new(stream) }

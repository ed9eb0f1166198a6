// Package behind has another package start its informers and add its handlers.
package behind

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/informerlifecycle/behind/run"
)

// Nobody can stop what the starter starts.
func lookUp(client kubernetes.Interface, s run.Starter) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	s.Start(factory) // want `each call of lookUp leaks a watch and a cache: .*\(informerlifecycle/never-stopped\)`
}

type perObject struct {
	informer cache.SharedIndexInformer
	handler  cache.ResourceEventHandler
}

func (r *perObject) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	run.Handle(r.informer, r.handler) // want `every event is handled once more after each reconcile, .*\(informerlifecycle/handler-per-event\)`
	return ctrl.Result{}, nil
}

// The channel is closed in the end.
func lookUpOnce(client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	stop := make(chan struct{})
	defer close(stop)
	run.Until(factory, stop)
}

// The caller stops it.
func lookUpUntil(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	run.Until(factory, ctx.Done())
}

// Handlers are added once, when the controller is made.
func newPerObject(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) *perObject {
	run.Handle(informer, handler)
	return &perObject{informer, handler}
}

// Package frameworks has goroutines that the reconcilers of other frameworks
// start: knative's, crossplane's, and controller-runtime's for objects.
package frameworks

import (
	"context"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	knative "knative.dev/pkg/reconciler"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func slow(name string) {
	if resp, err := http.Get("http://example.com/" + name); err == nil {
		resp.Body.Close()
	}
}

// service is reconciled by knative's generated reconciler.
type service struct{}

func (s *service) ReconcileKind(ctx context.Context, b *v1.Backup) knative.Event {
	go slow(b.Name) // want `ReconcileKind starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines.*handlergoroutine/per-reconcile`
	return nil
}

func (s *service) FinalizeKind(ctx context.Context, b *v1.Backup) knative.Event {
	go s.remove(b) // want `^hygiene: FinalizeKind starts a goroutine that keeps the \*v1\.Backup: others change it meanwhile.*handlergoroutine/captured-object`
	return nil
}

func (s *service) remove(b *v1.Backup) { slow(b.Name) }

// observation is what crossplane's Observe returns.
type observation struct{ exists bool }

// external has the methods of crossplane's ExternalClient.
type external struct{}

func (e *external) Observe(ctx context.Context, mg client.Object) (observation, error) {
	go slow(mg.GetName()) // want `Observe starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines.*handlergoroutine/per-reconcile`
	return observation{exists: true}, nil
}

func (e *external) Create(ctx context.Context, mg client.Object) (observation, error) {
	e.background(mg.GetName())
	return observation{}, nil
}

func (e *external) background(name string) {
	go slow(name) // want `background \(from Create\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
}

func (e *external) Update(ctx context.Context, mg client.Object) (observation, error) {
	var group sync.WaitGroup
	group.Go(func() { slow(mg.GetName()) })
	group.Wait()
	return observation{}, nil
}

func (e *external) Delete(ctx context.Context, mg client.Object) error { return nil }

// connector makes external clients: for each reconcile one.
type connector struct{}

func (connector) Connect(ctx context.Context, mg client.Object) (*external, error) {
	go slow("connect") // want `Connect starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines.*handlergoroutine/per-reconcile`
	return new(external), nil
}

// objects reconciles objects, not requests.
type objects struct{}

func (objects) Reconcile(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	go slow(b.Name) // want `Reconcile starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines.*handlergoroutine/per-reconcile`
	return ctrl.Result{}, nil
}

func setup(c client.Client) reconcile.Reconciler {
	return reconcile.AsReconciler(c, objects{})
}

// pair is a request type of our own.
type pair struct{ left, right string }

type typed struct{}

func (typed) Reconcile(ctx context.Context, p pair) (reconcile.Result, error) {
	go slow(p.left) // want `Reconcile starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines.*handlergoroutine/per-reconcile`
	return reconcile.Result{}, nil
}

var _ reconcile.TypedReconciler[pair] = typed{}

// generic is a reconciler for any kind.
type generic[T client.Object] struct{ client client.Client }

func (g *generic[T]) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	g.work(req.Name)
	return ctrl.Result{}, nil
}

func (g *generic[T]) work(name string) {
	go slow(name) // want `work \(from Reconcile\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
}

var _ reconcile.Reconciler = new(generic[*corev1.Pod])

// What follows is right: these are not called for each event.

// store has methods that are called Create, Update and Delete.
type store struct{}

func (store) Create(name string) { go slow(name) }
func (store) Update(name string) { go slow(name) }
func (store) Delete(name string) { go slow(name) }

// phases has a method that merely is called Reconcile.
type phases struct{}

func (phases) Reconcile() { go slow("phase") }

// ServeHTTP is called for requests, not for events.
func (phases) ServeHTTP(w http.ResponseWriter, r *http.Request) { go slow(r.URL.Path) }

func elect() leaderelection.LeaderCallbacks {
	return leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) { go slow("leader") },
		OnStoppedLeading: func() {},
	}
}

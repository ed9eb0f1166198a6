// Package crosspkg reaches goroutines that another package starts: they are
// reported at the call.
package crosspkg

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/handlergoroutine/crosspkg/lib"
)

type reconciler struct {
	client.Client
	metrics  lib.Recorder
	server   *lib.Server
	mu       sync.Mutex
	monitors map[string]*lib.Monitor
	started  bool
}

func (r *reconciler) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			r.metrics.Remove("interface") // want `Remove \(from DeleteFunc\) starts a goroutine \(lib/lib.go:\d+\) nobody waits for: 1,000 events, 1,000 goroutines; enqueue the key, work in the reconciler.*handlergoroutine/per-event`
			r.server.Remove("method")     // the same goroutine, which is reported once
		},
	})
	lib.OnAdd(informer, func(obj any) {
		lib.ConfigureLater("registered by a helper") // want `ConfigureLater \(from AddFunc\) starts a goroutine \(lib/lib.go:\d+\) nobody waits for: 1,000 events, 1,000 goroutines; enqueue the key, work in the reconciler.*handlergoroutine/per-event`
	})
}

// Reconcile has one of each.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := new(corev1.Pod)
	if err := r.Get(ctx, req.NamespacedName, pod); err != nil {
		return ctrl.Result{}, err
	}
	lib.Configure(req.Name)           // want `Configure \(from Reconcile\) starts a goroutine \(lib/lib.go:\d+\) nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
	lib.Hold(pod)                     // want `Hold \(from Reconcile\) starts a goroutine \(lib/lib.go:\d+\) that keeps the \*v1\.Pod: others change it meanwhile.*handlergoroutine/captured-object`
	lib.Heartbeat(ctx, req.Name)      // want `handlergoroutine/endless`
	lib.Background(func() { work() }) // want `handlergoroutine/per-reconcile`
	lib.Each([]string{req.Name}, func(name string) {
		go work() // want `Each \(from Reconcile\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
	})
	return r.right(ctx, req)
}

func work() { lib.All([]string{"a"}) }

// right leaves nothing behind.
func (r *reconciler) right(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	lib.All([]string{req.Name})

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lib.Heartbeat(ctx, req.Name)

	var group sync.WaitGroup
	lib.In(&group, req.Name)
	group.Wait()

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.monitors[req.Name] == nil {
		r.monitors[req.Name] = lib.NewMonitor()
	}
	if !r.started {
		r.started = true
		lib.Configure("once")
	}
	return ctrl.Result{}, nil
}

// newReconciler is no entry point.
func newReconciler(c client.Client) *reconciler {
	lib.Configure("start")
	return &reconciler{Client: c, server: new(lib.Server), monitors: make(map[string]*lib.Monitor)}
}

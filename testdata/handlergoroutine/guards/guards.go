// Package guards asks in the caller what another function remembers: whether a
// goroutine runs already.
package guards

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/handlergoroutine/guards/monitor"
)

type reconciler struct {
	mu        sync.Mutex
	set       *monitor.Set
	monitors  map[string]*monitor.Monitor
	workers   map[string]*worker
	known     sync.Map
	factory   informers.SharedInformerFactory
	informers *monitor.Informers
}

type worker struct{ owner *reconciler }

// Reconcile starts nothing twice.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.asksFirst(req.Name)
	r.asksForNil(req.Name)
	r.asksOwnMap(req.Name)
	r.asksOwnMapForConstructor(req.Name)
	r.worker(req.Name)
	r.workerByHelper(req.Name)
	r.workerInSyncMap(req.Name)
	r.startsFactory(ctx)
	r.startsOwnFactory(ctx)
	r.forgets(req.Name)
	r.asksSomethingElse(req.Name)
	r.always(req.Name)
	return ctrl.Result{}, nil
}

// asksFirst asks the set that it then starts one in.
func (r *reconciler) asksFirst(key string) {
	if !r.set.Has(key) {
		r.set.Begin(key)
	}
}

func (r *reconciler) asksForNil(key string) *monitor.Monitor {
	if m := r.set.Get(key); m != nil {
		return m
	}
	return r.set.Begin(key)
}

// asksOwnMap keeps what a constructor elsewhere starts.
func (r *reconciler) asksOwnMap(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.monitors[key]; !ok {
		r.monitors[key] = monitor.New(key)
	}
}

// asksOwnMapForConstructor asks the set, whose entry the constructor makes.
func (r *reconciler) asksOwnMapForConstructor(key string) {
	if r.set.Get(key) == nil {
		monitor.NewFor(r.set, key)
	}
}

// worker looks into the map; the entry is made by the constructor.
func (r *reconciler) worker(key string) *worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w, ok := r.workers[key]; ok {
		return w
	}
	return newWorker(r, key)
}

func newWorker(owner *reconciler, key string) *worker {
	w := &worker{owner: owner}
	owner.workers[key] = w
	go w.run()
	return w
}

func (r *reconciler) workerByHelper(key string) {
	if r.find(key) == nil {
		w := &worker{owner: r}
		w.register(key)
		w.start()
	}
}

func (r *reconciler) find(key string) *worker { return r.workers[key] }

func (w *worker) register(key string) { w.owner.workers[key] = w }

func (w *worker) start() { go w.run() }

func (r *reconciler) workerInSyncMap(key string) {
	if _, ok := r.known.Load(key); ok {
		return
	}
	w := &worker{owner: r}
	w.start()
	r.known.Store(key, w)
}

func (w *worker) run() {
	for {
		time.Sleep(time.Minute)
	}
}

// startsFactory starts informers, each of them once, however often it is called.
func (r *reconciler) startsFactory(ctx context.Context) {
	go r.factory.Start(ctx.Done())
	r.factory.Start(ctx.Done())
}

func (r *reconciler) startsOwnFactory(ctx context.Context) {
	r.informers.Start(ctx)
}

// forgets asks a map in which it enters nothing.
func (r *reconciler) forgets(key string) {
	if _, ok := r.monitors[key]; !ok {
		go probe(key) // want `per-reconcile`
	}
}

// asksSomethingElse asks an object that has nothing to do with what it starts.
func (r *reconciler) asksSomethingElse(key string) {
	if r.factory.Core().V1().Pods().Informer().HasSynced() {
		r.set.Probe(key) // want `per-reconcile`
	}
}

func (r *reconciler) always(key string) {
	monitor.New(key) // want `endless`
}

func probe(string) { time.Sleep(time.Minute) }

// handlers start the factory that an event asks for.
func (r *reconciler) handlers(informer cache.SharedIndexInformer, stop <-chan struct{}) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { go r.factory.Start(stop) },
	})
}

// Package entrypoint has each kind of place where the ecosystem calls user
// code, in the API of today.
package entrypoint

import (
	"context"
	"net/http"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/entrypoint/lib"
)

type requests = workqueue.TypedRateLimitingInterface[reconcile.Request]

func added(obj any)                  {}                  // want "event handler: AddFunc obj"
func changed(old, new any)           {}                  // want "event handler: UpdateFunc old new"
func filter(obj any) bool            { return true }     // want "predicate: FilterFunc obj"
func detailed(obj any, initial bool) {}                  // want "event handler: AddFunc obj"
func stripped(obj any) (any, error)  { return obj, nil } // want "transform function: transform function obj"

func informers(informer cache.SharedIndexInformer) {
	informer.SetTransform(stripped)
	informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: filter,
		Handler:    cache.ResourceEventHandlerFuncs{AddFunc: added, UpdateFunc: changed},
	})
	informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{AddFunc: detailed})
	lib.Watch(informer, viaHelper)
}

func viaHelper(obj any) {} // want "event handler: AddFunc obj"

type own struct{}

func (own) OnAdd(obj any, initial bool) {} // want "event handler: OnAdd obj"
func (own) OnUpdate(old, new any)       {} // want "event handler: OnUpdate old new"
func (own) OnDelete(obj any)            {} // want "event handler: OnDelete obj"

type typed struct{}

func (typed) Create(ctx context.Context, e event.TypedCreateEvent[*corev1.Pod], q requests)   {} // want "event handler: Create e"
func (typed) Update(ctx context.Context, e event.TypedUpdateEvent[*corev1.Pod], q requests)   {} // want "event handler: Update e"
func (typed) Delete(ctx context.Context, e event.TypedDeleteEvent[*corev1.Pod], q requests)   {} // want "event handler: Delete e"
func (typed) Generic(ctx context.Context, e event.TypedGenericEvent[*corev1.Pod], q requests) {} // want "event handler: Generic e"

type allow struct{}

func (allow) Create(e event.CreateEvent) bool   { return true } // want "predicate: Create e"
func (allow) Update(e event.UpdateEvent) bool   { return true } // want "predicate: Update e"
func (allow) Delete(e event.DeleteEvent) bool   { return true } // want "predicate: Delete e"
func (allow) Generic(e event.GenericEvent) bool { return true } // want "predicate: Generic e"

func created(ctx context.Context, e event.CreateEvent, q requests)         {}              // want "event handler: CreateFunc e"
func keep(e event.DeleteEvent) bool                                        { return true } // want "predicate: DeleteFunc e"
func named(object client.Object) bool                                      { return true } // want "predicate: predicate object"
func requestsFor(ctx context.Context, o client.Object) []reconcile.Request { return nil }  // want "map function: map function o"
func podRequests(ctx context.Context, pod *corev1.Pod) []reconcile.Request { return nil }  // want "map function: map function pod"
func reconcileFunc(ctx context.Context, req ctrl.Request) (ctrl.Result, error) { // want "reconciler: Reconcile"
	return ctrl.Result{}, nil
}
func runnable(ctx context.Context) error { return nil } // want "runnable: Start"

func setup(mgr ctrl.Manager) error {
	_ = handler.Funcs{CreateFunc: created}
	_ = predicate.Funcs{DeleteFunc: keep}
	_ = predicate.NewPredicateFuncs(named)
	_ = handler.EnqueueRequestsFromMapFunc(requestsFor)
	_ = handler.TypedEnqueueRequestsFromMapFunc(podRequests)
	http.HandleFunc("/", handle)
	_ = leaderelection.LeaderCallbacks{OnStartedLeading: lead, OnStoppedLeading: func() {}} // want "leader election callback: OnStoppedLeading"
	if err := mgr.Add(manager.RunnableFunc(runnable)); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(new(corev1.Pod)).Complete(reconcile.Func(reconcileFunc))
}

func handle(w http.ResponseWriter, r *http.Request) {} // want "HTTP handler: HTTP handler"
func lead(ctx context.Context)                      {} // want "leader election callback: OnStartedLeading"

type reconciler struct {
	queue workqueue.TypedRateLimitingInterface[string]
	sync  func(string) error
	once  sync.Once
	out   outlet
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) { // want "reconciler: Reconcile"
	r.first()
	defer r.last()
	_ = retry.RetryOnConflict(retry.DefaultRetry, func() error { reachedByRetry(); return nil })
	r.out.put()
	lib.Each(nil, func(string) { reachedByEach() })
	lib.Go(func() { notReachedByGo() })
	for range items {
		reachedInRange()
	}
	f := r.bound
	f()
	generic(req)
	return ctrl.Result{}, nil
}

func (r *reconciler) first()  { reachedInTwo() }
func (r *reconciler) last()   { reachedDeferred() }
func (r *reconciler) bound()  { reachedByMethodValue() }
func generic[T any](value T)  { reachedByGeneric() }
func items(yield func() bool) { reachedByIterator(); yield() }

func reachedInTwo()         {} // want "path: Reconcile → first → reachedInTwo"
func reachedDeferred()      {} // want "path: Reconcile → last → reachedDeferred"
func reachedByRetry()       {} // want `path: Reconcile → Reconcile\$\d → reachedByRetry`
func reachedByEach()        {} // want `path: Reconcile → Reconcile\$\d → reachedByEach`
func reachedInRange()       {} // want `path: Reconcile → Reconcile.\d → reachedInRange`
func reachedByMethodValue() {} // want "path: Reconcile → bound → reachedByMethodValue"
func reachedByGeneric()     {} // want "path: Reconcile → generic → reachedByGeneric"
func reachedByIterator()    {} // want "path: Reconcile → items → reachedByIterator"
func notReachedByGo()       {}

// outlet has one implementation.
type outlet interface{ put() }

type pipe struct{}

func (pipe) put() { reachedByInterface() }

func reachedByInterface() {} // want "path: Reconcile → put → reachedByInterface"

type objects struct{}

func (objects) Reconcile(ctx context.Context, b *v1.Backup) (ctrl.Result, error) { // want "reconciler: Reconcile b"
	return ctrl.Result{}, nil
}

type keys struct{}

func (keys) Reconcile(ctx context.Context, key string) error { return nil } // want "reconciler: Reconcile"

type kind struct{}

func (kind) ReconcileKind(ctx context.Context, b *v1.Backup) error { return nil } // want "reconciler: ReconcileKind b"
func (kind) FinalizeKind(ctx context.Context, b *v1.Backup) error  { return nil } // want "reconciler: FinalizeKind b"

func (r *reconciler) next() bool { // want "workqueue worker: workqueue worker"
	reachedBeforeGet()
	key, quit := r.queue.Get()
	if quit {
		return false
	}
	defer r.queue.Done(key)
	return r.sync(key) == nil
}

func reachedBeforeGet() {}

func newReconciler() *reconciler {
	r := &reconciler{out: pipe{}}
	r.sync = r.syncPod
	return r
}

func (r *reconciler) syncPod(key string) error { reachedByField(); return nil }

func reachedByField() {} // want "path: workqueue worker → syncPod → reachedByField"

func (r *reconciler) run(ctx context.Context) {
	go wait.UntilWithContext(ctx, periodic, time.Second)
	go lib.Work(r.queue, r.syncElsewhere)
	<-ctx.Done()
}

func periodic(ctx context.Context)                                 {}             // want `periodic function: wait.UntilWithContext`
func (r *reconciler) syncElsewhere(key string) error               { return nil } // want "sync function: sync function"
func (r *reconciler) Start(ctx context.Context) error              { return nil } // want "runnable: Start"
func (r *reconciler) ServeHTTP(http.ResponseWriter, *http.Request) {}             // want "HTTP handler: ServeHTTP"

type syncer struct{ name string }

func (s *syncer) SyncItem(key string) error { return nil } // want "sync function: sync function"
func (s *syncer) Name() string              { return s.name }

func handleItem(key string) error { return nil } // want "sync function: sync function"

func newController(queue workqueue.TypedInterface[string]) *lib.Controller {
	return lib.NewController(queue, new(syncer), handleItem)
}

type keyed struct{}

func (keyed) SyncKey(key string) error { return nil } // want "sync function: sync function"
func (keyed) Describe() string         { return "" }

func newLiteral(queue workqueue.TypedInterface[any]) *lib.Literal {
	return lib.NewLiteral(queue, keyed{})
}

type validator struct{}

func (validator) Default(ctx context.Context, obj runtime.Object) error { return nil } // want "admission handler: Default obj"
func (validator) Handle(ctx context.Context, req admission.Request) admission.Response { // want "admission handler: Handle"
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{}}
}

type stream struct{}

func (stream) ResultChan() <-chan watch.Event { return nil } // want "watch: ResultChan"
func (stream) Stop()                          {}

// What follows is no entry point.

type store struct{}

func (store) Create(name string)                      {}
func (store) Update(name string)                      {}
func (store) Delete(name string)                      {}
func (store) Start(name string) error                 { return nil }
func (store) Reconcile() error                        { return nil }
func (store) Handle(name string) string               { return name }
func (store) OnAdd(name string)                       {}
func plain(ctx context.Context, name string) []string { return nil }

// Package cases has reconcilers with state.
package cases

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The mistakes.

type remembers struct {
	client.Client
	log    logr.Logger
	backup *v1.Backup
	seen   map[types.NamespacedName]int64
	failed []string
	count  int
}

func (r *remembers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.log = log.FromContext(ctx).WithValues("backup", req.Name) // want `one reconcile goes on with the log of another: 4 workers share remembers.log; keep it in a local variable and pass it on`
	backup := new(v1.Backup)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		r.forget(req)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.backup = backup                              // want `one reconcile goes on with the backup of another`
	r.seen[req.NamespacedName] = backup.Generation // want `the operator dies of concurrent map writes: 4 workers write remembers.seen without a lock; guard it with a mutex or use sync.Map`
	r.failed = append(r.failed, req.Name)          // want `elements get lost: 4 workers append to remembers.failed without a lock`
	r.count++
	return ctrl.Result{}, r.work(ctx)
}

// One cause is reported once.
func (r *remembers) forget(req ctrl.Request) { delete(r.seen, req.NamespacedName) }

func (r *remembers) work(ctx context.Context) error { return r.Update(ctx, r.backup) }

func (r *remembers) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(r)
}

// One reconciler for two controllers.

type sharing struct {
	client.Client
	seen map[string]bool
}

func (r *sharing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.seen[req.Name] = true // want `several controllers write sharing.seen without a lock`
	return ctrl.Result{}, nil
}

func (r *sharing) setUp(mgr manager.Manager) error {
	if err := ctrl.NewControllerManagedBy(mgr).Named("a").For(&v1.Backup{}).Complete(r); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("b").For(&appsv1.Deployment{}).Complete(r)
}

// One of two controllers, as the settings have it.

type either struct {
	client.Client
	seen map[string]bool
	apps bool
}

func (r *either) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func (r *either) setUp(mgr manager.Manager) error {
	if r.apps {
		return ctrl.NewControllerManagedBy(mgr).For(&appsv1.Deployment{}).Complete(r)
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// Both of two controllers, one after the other.

type each struct {
	client.Client
	seen map[string]bool
}

func (r *each) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.seen[req.Name] = true // want `several controllers write each.seen without a lock`
	return ctrl.Result{}, nil
}

func (r *each) setUpBoth(mgr manager.Manager) error {
	if err := r.setUp(mgr, true); err != nil {
		return err
	}
	return r.setUp(mgr, false)
}

func (r *each) setUp(mgr manager.Manager, apps bool) error {
	if apps {
		return ctrl.NewControllerManagedBy(mgr).For(&appsv1.Deployment{}).Complete(r)
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// Two controllers and a variable of the package.

var failures = make(map[string]int)

type one struct{ client.Client }

func (r *one) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	failures[req.Name]++ // want `several controllers write failures without a lock`
	return ctrl.Result{}, nil
}

type other struct{ client.Client }

func (r *other) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	delete(failures, req.Name)
	return ctrl.Result{}, nil
}

func setUpBoth(mgr manager.Manager) error {
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&one{mgr.GetClient()}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&appsv1.Deployment{}).Complete(&other{mgr.GetClient()})
}

// What looks like it and is right.

type careful struct {
	client.Client
	log    logr.Logger
	mu     sync.Mutex
	seen   map[string]bool
	shared sync.Map
	count  atomic.Int64
	once   sync.Once
	kinds  map[string]bool
	local  map[string]bool
}

func (r *careful) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.shared.Store(req.Name, true)
	r.count.Add(1)
	r.mark(req.Name)
	r.once.Do(func() { r.kinds["backup"] = true })
	mine := *r
	mine.log = log.FromContext(ctx)
	seen := make(map[string]bool)
	seen[req.Name] = true
	return ctrl.Result{}, mine.work(ctx, seen)
}

func (r *careful) mark(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(name)
}

func (r *careful) set(name string) { r.seen[name] = true }

func (r *careful) work(context.Context, map[string]bool) error { return nil }

func (r *careful) setUp(mgr manager.Manager) error {
	r.local = make(map[string]bool)
	r.local["set-up"] = true
	r.log = mgr.GetLogger()
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(r)
}

// A copy for each reconcile: the receiver is a value.
type copied struct {
	client.Client
	log logr.Logger
}

func (r copied) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.log = log.FromContext(ctx)
	return ctrl.Result{}, nil
}

func (r copied) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(r)
}

// One worker.
type alone struct {
	client.Client
	seen map[string]bool
}

func (r *alone) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func (r *alone) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// Two controllers, each with a reconciler of its own.
type apart struct {
	client.Client
	seen map[string]bool
}

func (r *apart) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func setUpApart(mgr manager.Manager) error {
	if err := ctrl.NewControllerManagedBy(mgr).Named("c").For(&v1.Backup{}).Complete(&apart{seen: make(map[string]bool)}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("d").For(&appsv1.Deployment{}).Complete(&apart{seen: make(map[string]bool)})
}

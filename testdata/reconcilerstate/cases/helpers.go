package cases

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Functions that are handed the reconciler, or its map.

type handing struct {
	client.Client
	backup *v1.Backup
	seen   map[string]bool
}

func (r *handing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	remember(r, &v1.Backup{})
	mark(r.seen, req.Name)
	return ctrl.Result{}, nil
}

func remember(r *handing, backup *v1.Backup) {
	r.backup = backup // want `one reconcile goes on with the backup of another`
}

func mark(seen map[string]bool, name string) {
	seen[name] = true // want `4 workers write handing.seen without a lock`
}

func (r *handing) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(r)
}

// Right: each reconcile has a struct and a map of its own, and a literal changes a copy.

type ownEach struct {
	client.Client
	backup *v1.Backup
	seen   map[string]bool
}

func (r *ownEach) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	run := &ownEach{Client: r.Client, seen: make(map[string]bool)}
	rememberOwn(run, &v1.Backup{})
	markOwn(run.seen, req.Name)
	return ctrl.Result{}, r.late(req)
}

func rememberOwn(r *ownEach, backup *v1.Backup) { r.backup = backup }

func markOwn(seen map[string]bool, name string) { seen[name] = true }

// late has two callers' maps in a helper, one of them its own.
func (r *ownEach) late(req ctrl.Request) error {
	seen := make(map[string]bool)
	markAny(seen, req.Name)
	return nil
}

func markAny(seen map[string]bool, name string) { seen[name] = true }

func (r *ownEach) setUp(mgr manager.Manager) error {
	markAny(r.seen, "set up")
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(r)
}

type copies struct {
	client.Client
	backup *v1.Backup
}

func (r copies) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	set := func() { r.backup = &v1.Backup{} }
	set()
	return ctrl.Result{}, r.Update(ctx, r.backup)
}

func (r copies) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(r)
}

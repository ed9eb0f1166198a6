package cases

import (
	"context"
	"flag"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Nobody in the package says how many: that is no reason to think of several.
type unsaid struct {
	client.Client
	seen map[string]bool
}

func (u *unsaid) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	u.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func AddUnsaid(mgr manager.Manager, workers int) error {
	u := &unsaid{Client: mgr.GetClient(), seen: make(map[string]bool)}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(u)
}

// All that is handed over, from function to function, is one.
type solitary struct {
	client.Client
	seen map[string]bool
}

func (a *solitary) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	a.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func addSolitary(mgr manager.Manager, workers int) error {
	a := &solitary{Client: mgr.GetClient(), seen: make(map[string]bool)}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(a)
}

func AddSolitary(mgr manager.Manager) error { return addAll(mgr, 1) }

func addAll(mgr manager.Manager, each int) error { return addSolitary(mgr, each) }

// One of the callers wants more.
type crowd struct {
	client.Client
	seen map[string]bool
}

func (c *crowd) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c.seen[req.Name] = true // want `several workers write crowd.seen without a lock`
	return ctrl.Result{}, nil
}

func AddCrowd(mgr manager.Manager, workers int) error {
	c := &crowd{Client: mgr.GetClient(), seen: make(map[string]bool)}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(c)
}

func AddSmall(mgr manager.Manager) error { return AddCrowd(mgr, 1) }

func AddLarge(mgr manager.Manager) error { return AddCrowd(mgr, 8) }

// A flag that is one by default.
type flagged struct {
	client.Client
	seen map[string]bool
}

var byDefault = flag.Int("one", 1, "workers")

func (f *flagged) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	f.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func (f *flagged) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: *byDefault}).Complete(f)
}

// A flag that sets a field, which is one by default.
type fieldFlagged struct {
	client.Client
	seen map[string]bool
	few  int
}

func (f *fieldFlagged) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	f.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func (f *fieldFlagged) flags(set *pflag.FlagSet) { set.IntVarP(&f.few, "few", "f", 1, "workers") }

func (f *fieldFlagged) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: f.few}).Complete(f)
}

// A flag that is more by default.
type manyFlagged struct {
	client.Client
	seen map[string]bool
	many int
}

func (m *manyFlagged) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	m.seen[req.Name] = true // want `several workers write manyFlagged.seen without a lock`
	return ctrl.Result{}, nil
}

func (m *manyFlagged) flags(set *pflag.FlagSet) { set.IntVar(&m.many, "many", 4, "workers") }

func (m *manyFlagged) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: max(1, m.many)}).Complete(m)
}

// A field that the package sets to one.
type fixed struct {
	client.Client
	seen    map[string]bool
	workers int
}

func (f *fixed) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	f.seen[req.Name] = true
	return ctrl.Result{}, nil
}

func addFixed(mgr manager.Manager) error {
	f := &fixed{Client: mgr.GetClient(), seen: make(map[string]bool), workers: 1}
	return f.setUp(mgr)
}

func (f *fixed) setUp(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(controller.Options{MaxConcurrentReconciles: f.workers}).Complete(f)
}

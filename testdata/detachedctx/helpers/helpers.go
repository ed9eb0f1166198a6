// Package helpers has functions without a context that are called by others
// with one.
package helpers

import (
	"context"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/detachedctx/helpers/status"
)

// Reconciler has what the cases need.
type Reconciler struct {
	client.Client
	queue workqueue.TypedRateLimitingInterface[string]
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup, err := r.fetch(req)
	if err != nil {
		return ctrl.Result{}, err
	}
	defer r.release(backup)
	r.first(backup)
	go r.later(backup)
	if ctx.Err() != nil {
		return ctrl.Result{}, r.abandoned(backup)
	}
	return ctrl.Result{}, r.saveElsewhere(ctx, backup)
}

func (r *Reconciler) fetch(req ctrl.Request) (*v1.Backup, error) { // want `hygiene: Get .*; give fetch a context: Reconcile has ctx \(detachedctx/helper\)`
	var backup v1.Backup
	err := r.Get(context.TODO(), req.NamespacedName, &backup)
	return &backup, err
}

func (r *Reconciler) first(backup *v1.Backup) { r.second(backup) } // want `hygiene: Update \(helpers\.go:47\) and another call .*; give first a context, and read its error: Reconcile has ctx \(detachedctx/helper\)`

func (r *Reconciler) second(backup *v1.Backup) {
	ctx := context.TODO()
	_ = r.Update(ctx, backup)
	_ = r.Status().Update(ctx, backup)
}

func (r *Reconciler) saveElsewhere(ctx context.Context, backup *v1.Backup) error {
	if err := status.Finish(r.Client, backup); err != nil { // want `hygiene: Update \(status/status\.go:14\) .*; give Finish a context \(detachedctx/helper\)`
		return err
	}
	if err := status.Update(r.Client, backup); err != nil { // want `hygiene: Update \(status/status\.go:14\) and another call .*; give Update a context \(detachedctx/helper\)`
		return err
	}
	if err := status.Update(r.Client, backup); err != nil { // the same once more
		return err
	}
	return status.Record(r.Client, backup)
}

func passesDetached(ctx context.Context, c client.Client, backup *v1.Backup) error {
	return status.Save(context.TODO(), c, backup) // want `hygiene: Save → Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func trapOfNothingToWaitFor(ctx context.Context, backup *v1.Backup) string {
	return status.Name(context.TODO(), backup)
}

func (r *Reconciler) blank(_ context.Context, backup *v1.Backup) error { // want `hygiene: Update \(helpers\.go:77\) .*; name the context of blank and pass it \(detachedctx/ctx-blank\)`
	return r.dropped(backup)
}

func (r *Reconciler) dropped(backup *v1.Backup) error {
	return r.Update(context.TODO(), backup)
}

// newContext makes contexts for others.
func newContext() context.Context { return context.Background() }

func (r *Reconciler) throughMaker(ctx context.Context, backup *v1.Backup) error {
	return r.Update(newContext(), backup) // want `hygiene: Update .*; pass ctx \(detachedctx/ctx-ignored\)`
}

func (r *Reconciler) release(backup *v1.Backup) {
	_ = r.Delete(context.Background(), backup)
}

func (r *Reconciler) later(backup *v1.Backup) {
	_ = r.Delete(context.Background(), backup)
}

func (r *Reconciler) abandoned(backup *v1.Backup) error {
	return r.Delete(context.Background(), backup)
}

// Start adds handlers, runs a worker and waits: nobody hands them a context.
func (r *Reconciler) Start(ctx context.Context, informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: r.onAdd})
	if err != nil {
		return err
	}
	r.migrate()
	go r.worker()
	<-ctx.Done()
	r.queue.ShutDown()
	r.drain()
	return nil
}

func (r *Reconciler) onAdd(obj any) {
	_ = r.Get(context.TODO(), client.ObjectKey{Name: "a"}, &v1.Backup{})
}

func (r *Reconciler) worker() {
	for {
		key, shutdown := r.queue.Get()
		if shutdown {
			return
		}
		r.sync(key)
		r.queue.Done(key)
	}
}

func (r *Reconciler) sync(key string) {
	_ = r.Get(context.TODO(), client.ObjectKey{Name: key}, &v1.Backup{})
}

func (r *Reconciler) migrate() {
	_ = r.List(context.TODO(), &v1.BackupList{})
}

func (r *Reconciler) drain() {
	_ = r.List(context.TODO(), &v1.BackupList{})
}

// Setup puts things together.
func (r *Reconciler) Setup(ctx context.Context, mgr ctrl.Manager) error {
	return r.checkVersion()
}

func (r *Reconciler) checkVersion() error {
	return r.List(context.TODO(), &v1.BackupList{})
}

// Nobody calls it with a context.
func (r *Reconciler) indexed(obj client.Object) []string {
	_ = r.Get(context.TODO(), client.ObjectKeyFromObject(obj), &v1.Backup{})
	return nil
}

func beginning(ctx context.Context, c client.Client, backup *v1.Backup) {
	_ = status.Update(c, backup)
	status.Run(ctx)
}

// recursive calls itself.
func (r *Reconciler) recursive(depth int) {
	if depth > 0 {
		_ = r.List(context.TODO(), &v1.BackupList{})
		r.recursive(depth - 1)
	}
}

func (r *Reconciler) touch(_ context.Context, backup *v1.Backup) error {
	return status.Touch(r.Client, backup) // want `hygiene: Update \(status/status\.go:41\) .*; name the context of touch and pass it \(detachedctx/ctx-blank\)`
}

// Package deleting has finalizers that are added to objects which may be being
// deleted.
package deleting

import (
	"context"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizeradd/helpers"
)

const finalizer = "example.opvet.dev/deleting"

// checkedTooLate looks at the deletion after the addition.
type checkedTooLate struct{ client.Client }

func (r *checkedTooLate) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `while another finalizer keeps a deleted Backup, each reconcile fails: new ones are refused.*\(finalizeradd/while-deleting\)`
		if err := r.Update(ctx, b); err != nil {
			return ctrl.Result{}, err
		}
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// noReturn cleans up in a helper that returns nil, and goes on.
type noReturn struct{ client.Client }

func (r *noReturn) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := helpers.Release(ctx, r, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.add(ctx, b); err != nil { // want `while another finalizer keeps a deleted Backup, each reconcile fails: new ones are refused.*\(finalizeradd/while-deleting\)`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *noReturn) add(ctx context.Context, obj client.Object) error {
	if controllerutil.ContainsFinalizer(obj, finalizer) {
		return nil
	}
	controllerutil.AddFinalizer(obj, finalizer)
	return r.Update(ctx, obj)
}

// byHelperElsewhere calls a helper that adds without a look.
type byHelperElsewhere struct{ client.Client }

func (r *byHelperElsewhere) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if _, err := helpers.Ensure(ctx, r.Client, b); err != nil { // want `while another finalizer keeps a deleted Backup, each reconcile fails: new ones are refused.*\(finalizeradd/while-deleting\)`
		return ctrl.Result{}, err
	}
	if !b.GetDeletionTimestamp().IsZero() {
		return ctrl.Result{}, helpers.Release(ctx, r.Client, b)
	}
	return ctrl.Result{}, nil
}

// byCopyingHelper calls a helper that stores a copy.
func (r *reconciler) byCopyingHelper(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if err := helpers.EnsureCopy(ctx, r.Client, b); err != nil { // want `while-deleting`
		return err
	}
	if b.DeletionTimestamp != nil {
		return r.release(ctx, b)
	}
	return nil
}

// inCallback adds in a literal that a helper calls with what it has read.
func (r *reconciler) inCallback(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if !controllerutil.ContainsFinalizer(b, finalizer) {
		return helpers.Change(ctx, r.Client, key, func(b *v1.Backup) bool {
			return controllerutil.AddFinalizer(b, finalizer) // want `while-deleting`
		})
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.release(ctx, b)
	}
	return nil
}

// byHand appends to the list.
func (r *reconciler) byHand(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.Finalizers = append(b.Finalizers, finalizer) // want `while-deleting`
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	if b.DeletionTimestamp != nil {
		return r.release(ctx, b)
	}
	return nil
}

// wrongObject looks at another object.
func (r *reconciler) wrongObject(ctx context.Context, key client.ObjectKey) error {
	b, cluster := &v1.Backup{}, &v1.Cluster{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if err := r.Get(ctx, key, cluster); err != nil {
		return err
	}
	if !cluster.DeletionTimestamp.IsZero() {
		return nil
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		return r.Update(ctx, b)
	}
	return nil
}

// halfCheck returns for some of those only that are being deleted.
func (r *reconciler) halfCheck(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if b.DeletionTimestamp != nil && b.Status.Phase == v1.BackupCompleted {
		return r.release(ctx, b)
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		return r.Update(ctx, b)
	}
	return nil
}

// afterCleanup goes on when the clean-up is done.
func (r *reconciler) afterCleanup(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if !b.DeletionTimestamp.IsZero() {
		if err := r.release(ctx, b); err != nil {
			return err
		}
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		return r.Update(ctx, b)
	}
	return nil
}

// inList adds to each element of a list.
func (r *reconciler) inList(ctx context.Context) error {
	var list v1.BackupList
	if err := r.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		b := &list.Items[i]
		if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
			if err := r.Update(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

type backupLister interface {
	List(selector labels.Selector) ([]*v1.Backup, error)
	Get(name string) (*v1.Backup, error)
}

// fromLister changes a copy of a cached object.
func (r *reconciler) fromLister(ctx context.Context, lister backupLister, name string) error {
	cached, err := lister.Get(name)
	if err != nil {
		return err
	}
	b := cached.DeepCopy()
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		return r.Update(ctx, b)
	}
	return nil
}

// fetchedByHelper gets the object from a function that reads it.
func (r *reconciler) fetchedByHelper(ctx context.Context, key client.ObjectKey) error {
	b, err := helpers.Fetch(ctx, r.Client, key)
	if err != nil || b == nil {
		return err
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		return r.Update(ctx, b)
	}
	return nil
}

// oneCallerChecks is called by one who has looked and by one who has not.
func (r *reconciler) oneCallerChecks(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		return r.Update(ctx, b)
	}
	return nil
}

// reconciler calls all of them.
type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	key := req.NamespacedName
	for _, step := range []func() error{
		func() error { return r.byCopyingHelper(ctx, key) },
		func() error { return r.inCallback(ctx, key) },
		func() error { return r.byHand(ctx, key) },
		func() error { return r.wrongObject(ctx, key) },
		func() error { return r.halfCheck(ctx, key) },
		func() error { return r.afterCleanup(ctx, key) },
		func() error { return r.inList(ctx) },
		func() error { return r.fromLister(ctx, nil, key.Name) },
		func() error { return r.fetchedByHelper(ctx, key) },
		func() error { return r.onlyOwn(ctx, key) },
		func() error { return r.oneCallerChecks(ctx, key) },
	} {
		if err := step(); err != nil {
			return ctrl.Result{}, err
		}
	}
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return ctrl.Result{}, err
	}
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.oneCallerChecks(ctx, key)
	}
	return ctrl.Result{}, r.release(ctx, b)
}

func (r *reconciler) release(ctx context.Context, b *v1.Backup) error {
	if controllerutil.RemoveFinalizer(b, finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

// objectReconciler is handed the object.
type objectReconciler struct{ client.Client }

func (r *objectReconciler) Reconcile(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		return ctrl.Result{}, r.Update(ctx, b)
	}
	if helpers.IsDeleted(b) {
		return ctrl.Result{}, helpers.Release(ctx, r.Client, b)
	}
	return ctrl.Result{}, nil
}

// onlyOwn looks at those only that have its finalizer.
func (r *reconciler) onlyOwn(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	if b.DeletionTimestamp != nil && controllerutil.ContainsFinalizer(b, finalizer) {
		return r.release(ctx, b)
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		return r.Update(ctx, b)
	}
	return nil
}

// onAdd is called for all objects that there are when the operator starts.
func (r *reconciler) onAdd(obj any) {
	b := obj.(*v1.Backup).DeepCopy()
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		_ = r.Update(context.Background(), b)
	}
}

var _ = func(r *reconciler) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: r.onAdd}
}

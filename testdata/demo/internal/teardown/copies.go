// Package teardown takes away what the operator made outside of the objects
// that users delete.
package teardown

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

const (
	copiesFinalizer = "cache.demo.opvet.dev/copies"
	auditFinalizer  = "cache.demo.opvet.dev/audit"
)

// Store keeps copies of backups.
type Store struct {
	HTTP *http.Client
	URL  string

	known sync.Map
}

// CreateBucket makes room for copies.
func (s *Store) CreateBucket(ctx context.Context, name string) error {
	return s.do(ctx, http.MethodPut, name)
}

// DeleteBucket deletes copies; it is no error if there are none.
func (s *Store) DeleteBucket(ctx context.Context, name string) error {
	return s.do(ctx, http.MethodDelete, name)
}

func (s *Store) forget(name string) { s.known.Delete(name) }

func (s *Store) do(ctx context.Context, method, name string) error {
	req, err := http.NewRequestWithContext(ctx, method, s.URL+"/"+name, nil)
	if err != nil {
		return err
	}
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode >= 400 && resp.StatusCode != http.StatusNotFound {
		return fmt.Errorf("the store answered %s", resp.Status)
	}
	return nil
}

// CopyReconciler deletes the copies of a backup with it.
type CopyReconciler struct {
	client.Client
	Store *Store
}

// Reconcile puts the finalizer on, and cleans up.
func (r *CopyReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1alpha1.CacheBackup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(&backup, copiesFinalizer) {
		if err := r.Update(ctx, &backup); err != nil {
			return ctrl.Result{}, err
		}
	}
	if !backup.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.release(ctx, &backup)
	}
	return ctrl.Result{}, r.audit(ctx, &backup)
}

func (r *CopyReconciler) release(ctx context.Context, backup *v1alpha1.CacheBackup) error {
	// The copies are many: they go with their bucket, however long
	// that takes the store.
	_ = r.Store.DeleteBucket(ctx, backup.Name)
	controllerutil.RemoveFinalizer(backup, copiesFinalizer)
	return r.Update(ctx, backup)
}

// audit keeps the backup until its deletion has been recorded.
func (r *CopyReconciler) audit(ctx context.Context, backup *v1alpha1.CacheBackup) error {
	before := backup.DeepCopy()
	controllerutil.AddFinalizer(backup, auditFinalizer)
	return r.Patch(ctx, backup, client.MergeFrom(before))
}

// Lease is the right to write to the store, kept in the cluster.
type Lease struct{ key client.ObjectKey }

// NewLease takes a lease.
func (r *CopyReconciler) NewLease(key client.ObjectKey) *Lease {
	lease := &Lease{key: key}
	runtime.SetFinalizer(lease, func(l *Lease) {
		backup := &v1alpha1.CacheBackup{}
		backup.Name, backup.Namespace = l.key.Name, l.key.Namespace
		if err := r.Delete(context.Background(), backup); err != nil && !apierrors.IsNotFound(err) {
			log.Log.Error(err, "Giving the lease back", "lease", l.key)
		}
	})
	return lease
}

// Adopt keeps a backup that another operator made.
func (r *CopyReconciler) Adopt(ctx context.Context, backup *v1alpha1.CacheBackup) error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":["cache.demo.opvet.dev/copies"]}}`))
	return r.Patch(ctx, backup, patch)
}

// Remember notes what is to be deleted with a backup.
func (r *CopyReconciler) Remember(backup *v1alpha1.CacheBackup, bucket string) {
	runtime.AddCleanup(backup, r.Store.forget, bucket)
}

// Overdue reports whether the deletion of a backup takes long.
func (r *CopyReconciler) Overdue(ctx context.Context, key client.ObjectKey) (bool, error) {
	var backup v1alpha1.CacheBackup
	if err := r.Get(ctx, key, &backup); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return time.Since(backup.DeletionTimestamp.Time) > time.Hour, nil
}

// SetupWithManager registers the controller.
func (r *CopyReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("copies").For(&v1alpha1.CacheBackup{}).Complete(r)
}

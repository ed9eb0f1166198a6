package teardown

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

const (
	claimFinalizer  = "cache.demo.opvet.dev/claim"
	importFinalizer = "cache.demo.opvet.dev/import"
	tokenFinalizer  = "cache.demo.opvet.dev/token"
)

// ClaimReconciler deletes the volume of a backup with it.
type ClaimReconciler struct{ client.Client }

// Reconcile lets a backup go when its volume has.
func (r *ClaimReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1alpha1.CacheBackup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	if err := r.Delete(ctx, claim); client.IgnoreNotFound(err) != nil {
		log.FromContext(ctx).Error(err, "Deleting the volume")
	}
	controllerutil.RemoveFinalizer(&backup, claimFinalizer)
	return ctrl.Result{}, r.Update(ctx, &backup)
}

// ImportReconciler deletes what a backup was imported with.
type ImportReconciler struct{ client.Client }

// Reconcile lets a backup go when the claim of its import has.
func (r *ImportReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1alpha1.CacheBackup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if backup.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: backup.Name + "-import", Namespace: backup.Namespace}}
	if err := r.Delete(ctx, claim); err != nil {
		return ctrl.Result{}, err
	}
	controllerutil.RemoveFinalizer(&backup, importFinalizer)
	return ctrl.Result{}, r.Update(ctx, &backup)
}

// TokenReconciler keeps users whose tokens are valid.
type TokenReconciler struct{ client.Client }

// Reconcile lets a user go.
func (r *TokenReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var user v1alpha1.CacheUser
	if err := r.Get(ctx, req.NamespacedName, &user); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !user.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(&user, tokenFinalizer)
	}
	return ctrl.Result{}, nil
}

// SetupWithManager registers the controller.
func (r *ClaimReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("claims").For(&v1alpha1.CacheBackup{}).Complete(r)
}

// SetupWithManager registers the controller.
func (r *ImportReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("imports").For(&v1alpha1.CacheBackup{}).Complete(r)
}

// SetupWithManager registers the controller.
func (r *TokenReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("tokens").For(&v1alpha1.CacheUser{}).Complete(r)
}

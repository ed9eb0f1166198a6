package teardown

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

const accountFinalizer = "accounts"

// AccountReconciler keeps what a user has on a server.
type AccountReconciler struct {
	client.Client
	Store *Store
}

// Reconcile makes the account, or takes it away.
func (r *AccountReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var user v1alpha1.CacheUser
	if err := r.Get(ctx, req.NamespacedName, &user); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var cache v1alpha1.Cache
	err := r.Get(ctx, client.ObjectKey{Namespace: user.Namespace, Name: user.Spec.Cache}, &cache)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, nil
	}
	if err != nil {
		if !user.DeletionTimestamp.IsZero() {
			controllerutil.RemoveFinalizer(&user, accountFinalizer)
			return ctrl.Result{}, r.Update(ctx, &user)
		}
		return ctrl.Result{}, err
	}
	if !user.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.release(ctx, &user)
	}
	if controllerutil.AddFinalizer(&user, accountFinalizer) {
		if err := r.Update(ctx, &user); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.Store.CreateBucket(ctx, user.Name); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.grant(ctx, &user, &cache)
}

// release lets the user go, and takes the bucket away.
func (r *AccountReconciler) release(ctx context.Context, user *v1alpha1.CacheUser) error {
	controllerutil.RemoveFinalizer(user, accountFinalizer)
	if err := r.Update(ctx, user); err != nil {
		return err
	}
	return r.Store.DeleteBucket(ctx, user.Name)
}

// grant gives the user rights.
func (r *AccountReconciler) grant(ctx context.Context, user *v1alpha1.CacheUser, cache *v1alpha1.Cache) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user.Namespace + "-" + user.Name}}
	if err := controllerutil.SetControllerReference(user, role, r.Scheme()); err != nil {
		return err
	}
	if err := r.Create(ctx, role); err != nil {
		return client.IgnoreAlreadyExists(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user.Name, Namespace: cache.Namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user.Name}},
	}
	if err := r.Create(ctx, binding); err != nil {
		return client.IgnoreAlreadyExists(err)
	}
	copied := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: user.Name, Namespace: cache.Spec.SecretNamespace}}
	if err := controllerutil.SetControllerReference(cache, copied, r.Scheme()); err != nil {
		return err
	}
	if err := r.Create(ctx, copied); err != nil {
		return client.IgnoreAlreadyExists(err)
	}
	var password corev1.Secret
	if err := r.Get(ctx, client.ObjectKey{Namespace: user.Namespace, Name: user.Spec.SecretName}, &password); err != nil {
		return err
	}
	if err := controllerutil.SetControllerReference(user, &password, r.Scheme()); err != nil {
		return err
	}
	return r.Update(ctx, &password)
}

// Abandon gives a user up for good.
func (r *AccountReconciler) Abandon(ctx context.Context, user *v1alpha1.CacheUser) error {
	user.SetFinalizers(nil)
	return r.Update(ctx, user)
}

// SetupWithManager registers the controller.
func (r *AccountReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("accounts").For(&v1alpha1.CacheUser{}).Complete(r)
}

package filters

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// Sightings records when backups were looked at, four at a time.
type Sightings struct {
	client.Client
	Seen    map[client.ObjectKey]int64
	Missing []string

	backup *v1alpha1.CacheBackup
}

// SetupWithManager registers the controller.
func (r *Sightings) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("seen").
		For(&v1alpha1.CacheBackup{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(r)
}

// Reconcile looks at one backup.
func (r *Sightings) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1alpha1.CacheBackup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.backup = backup
	r.Seen[req.NamespacedName] = backup.Generation
	if err := r.findCache(ctx); err != nil {
		return ctrl.Result{}, err
	}
	now := metav1.Now()
	backup.Status.CompletionTime = &now
	return ctrl.Result{}, r.Status().Update(ctx, backup)
}

// findCache notes a backup whose Cache is not there.
func (r *Sightings) findCache(ctx context.Context) error {
	key := client.ObjectKey{Namespace: r.backup.Namespace, Name: r.backup.Spec.Cache}
	err := r.Get(ctx, key, &v1alpha1.Cache{})
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	if err != nil {
		r.Missing = append(r.Missing, r.backup.Name)
	}
	return nil
}

// Conditions tells that Caches can be used.
type Conditions struct {
	client.Client
}

// SetupWithManager registers the controller.
func (r *Conditions) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("condition").For(&v1alpha1.Cache{}).Complete(r)
}

// Reconcile sets the condition of one Cache.
func (r *Conditions) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	cache.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: "Made", LastTransitionTime: metav1.Now(),
	}}
	return ctrl.Result{}, r.Status().Update(ctx, &cache)
}

// Package watch adds its controller by hand, as before there was a builder.
package watch

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

type reconciler struct{ client client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	if err := r.client.Get(ctx, req.NamespacedName, &corev1.ConfigMap{}); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, r.client.Get(ctx, req.NamespacedName, &corev1.Pod{})
}

// Run makes the manager and adds the controller.
func Run(ctx context.Context, cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory, although the watch at watch/watch\.go:\d+ picks by namespace.*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	if err := add(mgr, &reconciler{client: mgr.GetClient()}); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func add(mgr manager.Manager, r reconcile.Reconciler) error {
	c, err := controller.New("backup", mgr, controller.Options{Reconciler: r})
	if err != nil {
		return err
	}
	if err := c.Watch(&source.Kind{Type: &v1.Backup{}}, &handler.EnqueueRequestForObject{}); err != nil {
		return err
	}
	// Pods are watched, so that reading one starts nothing.
	if err := c.Watch(&source.Kind{Type: &corev1.Pod{}}, &handler.EnqueueRequestForOwner{OwnerType: &v1.Backup{}}); err != nil {
		return err
	}
	inOurs := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetNamespace() == "backups" })
	return c.Watch(&source.Kind{Type: &corev1.ConfigMap{}}, &handler.EnqueueRequestForObject{}, inOurs)
}

// Package strict has what only the strict flag reports.
package strict

import (
	"context"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{}

func (*reconciler) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}

func anyKind(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `reading v1.Deployment .*hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &appsv1.Deployment{})
}

func allOfThem(ctx context.Context, cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `reading v1.Pod .*hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().List(ctx, &corev1.PodList{})
}

func ownedPods(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `the watch of v1.Pod .*unscoped-cache`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Pod{}).Complete(&reconciler{})
}

func disabledOwnKind(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `the client does not read v1.Backup .*disabled-and-watched`
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&v1.Backup{}}}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&reconciler{})
}

func namespaceThatMayBeEmpty(cfg *rest.Config) error {
	namespace := os.Getenv("WATCH_NAMESPACE")
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `if no namespaces are configured, the watch of v1.Secret .*unscoped-cache`
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

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
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Deployment of the cluster is kept in memory for reads at strict/strict\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &appsv1.Deployment{})
}

func allOfThem(ctx context.Context, cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Pod of the cluster is kept in memory for reads at strict/strict\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().List(ctx, &corev1.PodList{})
}

func ownedPods(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Pod of the cluster is kept in memory by the watch at strict/strict\.go:\d+.*cachescope/unscoped-cache`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Pod{}).Complete(&reconciler{})
}

func disabledOwnKind(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: every v1\.Backup of the cluster is in memory for the watch at \S+:\d+, although reads skip the cache.*cachescope/disabled-and-watched`
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&v1.Backup{}}}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&reconciler{})
}

func namespaceThatMayBeEmpty(cfg *rest.Config) error {
	namespace := os.Getenv("WATCH_NAMESPACE")
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: without namespaces, every v1\.Secret is kept in memory by the watch at strict/strict\.go:\d+.*cachescope/unscoped-cache`
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

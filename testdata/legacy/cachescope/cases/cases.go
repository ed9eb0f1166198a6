// Package cases makes managers with the options of older releases.
package cases

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

type reconciler struct{}

func (*reconciler) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}

func oneSecret(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Port: 9443}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at cases/cases\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func selectorsOfAnotherKind(ctx context.Context, cfg *rest.Config, key client.ObjectKey, own labels.Selector) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewCache: cache.BuilderWithOptions(cache.Options{ // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at cases/cases\.go:\d+.*cachescope/hidden-informer`
		SelectorsByObject: cache.SelectorsByObject{&corev1.Secret{}: {Label: own}},
	})})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.ConfigMap{})
}

func disabledAndOwned(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ClientDisableCacheFor: []client.Object{&corev1.Secret{}}}) // want `^load: every v1\.Secret of the cluster is in memory for the watch at \S+:\d+, although reads skip the cache.*cachescope/disabled-and-watched`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

func uncachedByBuilderAndOwned(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: every v1\.ConfigMap of the cluster is in memory for the watch at \S+:\d+, although reads skip the cache.*cachescope/disabled-and-watched`
		NewClient: cluster.ClientBuilderWithOptions(cluster.ClientOptions{UncachedObjects: []client.Object{&corev1.ConfigMap{}}}),
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.ConfigMap{}).Complete(&reconciler{})
}

func delegatingClientAndWatched(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewClient: newClient}) // want `^load: every v1\.Pod of the cluster is in memory for the watch at \S+:\d+, although reads skip the cache.*cachescope/disabled-and-watched`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&source.Kind{Type: &corev1.Pod{}}, &handler.EnqueueRequestForObject{}).Complete(&reconciler{})
}

func newClient(cache cache.Cache, config *rest.Config, options client.Options, _ ...client.Object) (client.Client, error) {
	c, err := client.New(config, options)
	if err != nil {
		return nil, err
	}
	return client.NewDelegatingClient(client.NewDelegatingClientInput{CacheReader: cache, Client: c, UncachedObjects: []client.Object{&corev1.Pod{}}})
}

func picked(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory, although the watch at cases/cases\.go:\d+ picks by name.*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&source.Kind{Type: &corev1.ConfigMap{}}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
			return o.GetName() == "settings"
		}))).Complete(&reconciler{})
}

func metadataAndAll(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is in memory twice, typed \(cases\.go:\d+\) and as metadata \(cases\.go:\d+\).*cachescope/two-caches`
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&source.Kind{Type: &corev1.Secret{}}, &handler.EnqueueRequestForObject{}, builder.OnlyMetadata).Complete(&reconciler{}); err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func emptySelector(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewCache: cache.BuilderWithOptions(cache.Options{
		SelectorsByObject: cache.SelectorsByObject{
			&corev1.Secret{}: {}, // want `^load: every v1\.Secret of the cluster is kept in memory for cases/cases\.go:\d+, since this entry limits nothing.*cachescope/empty-entry`
		},
	})})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

func multiNamespacedIfAsked(ctx context.Context, cfg *rest.Config, key client.ObjectKey, namespaces []string) error {
	var newCache cache.NewCacheFunc
	if len(namespaces) > 0 {
		newCache = cache.MultiNamespacedCacheBuilder(namespaces)
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewCache: newCache}) // want `^load: without namespaces, every v1\.Secret is kept in memory for reads at cases/cases\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

// Right.

func namespaced(ctx context.Context, cfg *rest.Config, key client.ObjectKey, namespace string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Namespace: namespace})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func multiNamespaced(ctx context.Context, cfg *rest.Config, key client.ObjectKey, namespaces []string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewCache: cache.MultiNamespacedCacheBuilder(namespaces)})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func selected(ctx context.Context, cfg *rest.Config, key client.ObjectKey, own labels.Selector) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewCache: cache.BuilderWithOptions(cache.Options{
		SelectorsByObject: cache.SelectorsByObject{&corev1.Secret{}: {Label: own}},
	})})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func disabled(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ClientDisableCacheFor: []client.Object{&corev1.Secret{}}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func uncachedClient(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{NewClient: func(_ cache.Cache, config *rest.Config, options client.Options, _ ...client.Object) (client.Client, error) {
		return client.New(config, options)
	}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func fromAFile(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	options, err := ctrl.Options{}.AndFrom(ctrl.ConfigFile())
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

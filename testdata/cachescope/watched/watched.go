// Package watched watches kinds that a cluster has many of.
package watched

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{}

func (*reconciler) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}

func enqueue(context.Context, client.Object) []reconcile.Request { return nil }

const namespace, name = "backups", "settings"

func byNameAndNamespace(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory, although the watch at watched/watched\.go:\d+ picks by namespace.*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(enqueue), builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
			return o.GetNamespace() == namespace && o.GetName() == name
		}))).Complete(&reconciler{})
}

// readBesides reads others by the same client, which a selector would leave out.
func readBesides(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory, although the watch at watched/watched\.go:\d+ picks by namespace; use Cache\.ByObject and mgr\.GetAPIReader .*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	if err := mgr.GetClient().Get(ctx, key, &corev1.ConfigMap{}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(enqueue), builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
			return o.GetNamespace() == namespace
		}))).Complete(&reconciler{})
}

func byLabelSelector(cfg *rest.Config, own metav1.LabelSelector) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory, although the watch at watched/watched\.go:\d+ picks by labels.*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	labelled, err := predicate.LabelSelectorPredicate(own)
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Owns(&corev1.Secret{}, builder.WithPredicates(labelled, predicate.ResourceVersionChangedPredicate{})).Complete(&reconciler{})
}

// always sets the selector in steps, but always.
func always(cfg *rest.Config, shard string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory, although the watch at watched/watched\.go:\d+ picks by labels.*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	var own metav1.LabelSelector
	own.MatchLabels = map[string]string{"example.opvet.dev/shard": shard}
	labelled, err := predicate.LabelSelectorPredicate(own)
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}, builder.WithPredicates(labelled)).Complete(&reconciler{})
}

// ifAsked picks nothing for those who run one shard, so that the watch as such is what
// fills the cache.
func ifAsked(cfg *rest.Config, shard string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory by the watch at watched/watched\.go:\d+.*cachescope/unscoped-cache`
	if err != nil {
		return err
	}
	own := metav1.LabelSelector{}
	if shard != "" {
		own.MatchLabels = map[string]string{"example.opvet.dev/shard": shard}
	}
	labelled, err := predicate.LabelSelectorPredicate(own)
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}, builder.WithPredicates(labelled)).Complete(&reconciler{})
}

func byEventFilter(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Pod of the cluster is kept in memory, although the watch at watched/watched\.go:\d+ picks by labels.*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).WithEventFilter(predicate.NewPredicateFuncs(isOurs)).Complete(&reconciler{})
}

func isOurs(o client.Object) bool {
	_, ours := o.GetLabels()["example.opvet.dev/backup"]
	return ours
}

func bySource(cfg *rest.Config, name string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory, although the watch at watched/watched\.go:\d+ picks by name.*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	settings := predicate.NewTypedPredicateFuncs(func(config *corev1.ConfigMap) bool {
		if config.Name != name {
			return false
		}
		return true
	})
	src := source.Kind(mgr.GetCache(), &corev1.ConfigMap{}, handler.TypedEnqueueRequestsFromMapFunc(func(context.Context, *corev1.ConfigMap) []reconcile.Request { return nil }), settings)
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WatchesRawSource(src).Complete(&reconciler{})
}

func byFuncs(cfg *rest.Config, namespace string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory, although the watch at watched/watched\.go:\d+ picks by namespace.*cachescope/predicate-filter`
	if err != nil {
		return err
	}
	inNamespace := predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return e.Object.GetNamespace() == namespace },
		UpdateFunc: func(e event.UpdateEvent) bool { return e.ObjectNew.GetNamespace() == namespace },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.Secret{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(inNamespace)).Complete(&reconciler{})
}

func disabledAndOwned(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: every v1\.Secret of the cluster is in memory for the watch at \S+:\d+, although reads skip the cache.*cachescope/disabled-and-watched`
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

// Where reads skip the cache, Secrets are not owned.
func disabledOrOwned(cfg *rest.Config, namespace string) error {
	var opts ctrl.Options
	if namespace != "" {
		opts.Cache = cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}}
	} else {
		opts.Client = client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}}
	}
	mgr, err := ctrl.NewManager(cfg, opts)
	if err != nil {
		return err
	}
	b := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{})
	if namespace != "" {
		b = b.Owns(&corev1.Secret{})
	}
	return b.Complete(&reconciler{})
}

func disabledAndWatched(cfg *rest.Config) error {
	uncached := []client.Object{&corev1.Secret{}}
	uncached = append(uncached, &corev1.Pod{})
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: every v1\.Pod of the cluster is in memory for the watch at \S+:\d+, although reads skip the cache.*cachescope/disabled-and-watched`
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: uncached}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(enqueue)).Complete(&reconciler{})
}

func emptyEntryForSecrets(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
		&corev1.Secret{}: {}, // want `^load: every v1\.Secret of the cluster is kept in memory for watched/watched\.go:\d+, since this entry limits nothing.*cachescope/empty-entry`
	}}})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

func entryThatOnlySavesCopies(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{ // want `^load: every v1\.Secret of the cluster is kept in memory by the watch at watched/watched\.go:\d+.*cachescope/unscoped-cache`
		&corev1.Secret{}: {Transform: cache.TransformStripManagedFields()},
	}}})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

func ownedSecrets(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory by the watch at watched/watched\.go:\d+; label yours, limit ByObject to them, or use OnlyMetadata \(cachescope/unscoped-cache`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

func ownedConfigMapsInBranches(cfg *rest.Config, withConfig bool) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory by the watch at watched(/watched)?\.go:\d+; label yours, limit ByObject to them, and read others with GetAPIReader \(cachescope/unscoped-cache`
	if err != nil {
		return err
	}
	b := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{})
	if withConfig {
		b = b.Owns(&corev1.ConfigMap{})
	}
	if err := mgr.GetClient().Get(context.Background(), client.ObjectKey{}, &corev1.ConfigMap{}); err != nil {
		return err
	}
	return b.Complete(&reconciler{})
}

func watchedForTheirOwner(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory by the watch at watched/watched\.go:\d+.*cachescope/unscoped-cache`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), &v1.Backup{})).Complete(&reconciler{})
}

// Two kinds for one change of the options are one finding.
func ownsBoth(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap and v1\.Secret is kept in memory by the watch at watched\.go:\d+ and watched\.go:\d+; label yours, limit ByObject to them, or use OnlyMetadata \(cachescope/unscoped-cache`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Owns(&corev1.Secret{}).
		Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{})
}

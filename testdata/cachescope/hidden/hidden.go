// Package hidden reads kinds through the manager's client that nothing watches.
package hidden

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func oneSecret(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func oneConfigMapWithManagerNew(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := manager.New(cfg, manager.Options{LeaderElection: true, LeaderElectionID: "x"}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	c := mgr.GetClient()
	var config corev1.ConfigMap
	return c.Get(ctx, key, &config)
}

func podsOfANamespace(ctx context.Context, cfg *rest.Config, namespace string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Pod of the cluster is kept in memory for reads at hidden/hidden\.go:\d+; limit ByObject, or use mgr\.GetAPIReader\(\) \(cachescope/hidden-informer\)`
	if err != nil {
		return err
	}
	var pods corev1.PodList
	return mgr.GetClient().List(ctx, &pods, client.InNamespace(namespace), client.MatchingLabels{"app": "backup"})
}

func eventsOfAnObject(ctx context.Context, cfg *rest.Config, name string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Event of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	events := &eventsv1.EventList{}
	return mgr.GetClient().List(ctx, events, client.MatchingFields{"regarding.name": name})
}

func oneNode(ctx context.Context, cfg *rest.Config, name string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^hygiene: every v1\.Node of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, client.ObjectKey{Name: name}, &corev1.Node{})
}

func createOrUpdate(ctx context.Context, cfg *rest.Config, secret *corev1.Secret) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	_, err = controllerutil.CreateOrUpdate(ctx, mgr.GetClient(), secret, func() error { return nil })
	return err
}

func onlyManagedFieldsTrimmed(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{DefaultTransform: cache.TransformStripManagedFields()}}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.ConfigMap{})
}

func anotherKindLimited(ctx context.Context, cfg *rest.Config, key client.ObjectKey, only cache.ByObject) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: only}},
	})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.ConfigMap{})
}

func anotherKindDisabled(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.ConfigMap{})
}

func namespacesDoNotLimitNodes(ctx context.Context, cfg *rest.Config, name, namespace string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^hygiene: every v1\.Node of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, client.ObjectKey{Name: name}, &corev1.Node{})
}

func allNamespacesByName(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{cache.AllNamespaces: {}}},
	})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

// optionsOfAHelper are put together in another function.
func optionsOfAHelper() ctrl.Options {
	options := ctrl.Options{LeaderElection: true}
	options.LeaderElectionID = "x"
	return options
}

func withOptionsOfAHelper(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, optionsOfAHelper()) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

// embedded has the client embedded, as kubebuilder's scaffold does.
type embedded struct {
	client.Client
}

func (r *embedded) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, r.Get(ctx, req.NamespacedName, &corev1.Secret{})
}

func setUpEmbedded(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	r := &embedded{Client: mgr.GetClient()}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// withManager gets the client from the manager that it keeps.
type withManager struct{ mgr ctrl.Manager }

func (r *withManager) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, r.mgr.GetClient().Get(ctx, req.NamespacedName, &corev1.ConfigMap{})
}

func setUpWithManager(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&withManager{mgr: mgr})
}

// ownClientOnTheCache is a client with another identity, which reads from the
// manager's cache all the same.
func ownClientOnTheCache(ctx context.Context, cfg, other *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	c, err := client.New(other, client.Options{Cache: &client.CacheOptions{Reader: mgr.GetCache()}})
	if err != nil {
		return err
	}
	return c.Get(ctx, key, &corev1.Secret{})
}

// readsTheCache goes past what a client leaves out.
func readsTheCache(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+; use mgr\.GetAPIReader\(\) \(cachescope/hidden-informer\)`
	if err != nil {
		return err
	}
	return mgr.GetCache().Get(ctx, key, &corev1.Secret{})
}

// fetch does not know the kind; its callers do.
func fetch(ctx context.Context, c client.Reader, key client.ObjectKey, into client.Object) error {
	return c.Get(ctx, key, into)
}

func throughAHelper(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return fetch(ctx, mgr.GetClient(), key, &corev1.Secret{})
}

func unstructuredFromTheCache(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{ // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/hidden\.go:\d+.*cachescope/hidden-informer`
		Client: client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, secretUnstructured())
}

// twoKinds are mended by one option, and are one finding; Nodes are another.
func twoKinds(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap and v1\.Secret of the cluster is kept in memory for reads at hidden\.go:\d+ and 1 more; use .*cachescope/hidden-informer` `^hygiene: every v1\.Node of the cluster`
	if err != nil {
		return err
	}
	c := mgr.GetClient()
	if err := c.Get(ctx, key, &corev1.ConfigMap{}); err != nil {
		return err
	}
	if err := c.Get(ctx, key, &corev1.Node{}); err != nil {
		return err
	}
	return c.Get(ctx, key, &corev1.Secret{})
}

func threeKinds(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret and 2 other kinds of the cluster is kept in memory for reads at .*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	c := mgr.GetClient()
	if err := c.Get(ctx, key, &corev1.ConfigMap{}); err != nil {
		return err
	}
	if err := c.Get(ctx, key, &corev1.Pod{}); err != nil {
		return err
	}
	return c.Get(ctx, key, &corev1.Secret{})
}

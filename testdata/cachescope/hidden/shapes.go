package hidden

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// generic reconciles any kind.
type generic[T client.Object] struct {
	client client.Client
	object T
}

func (r *generic[T]) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var config corev1.ConfigMap
	return reconcile.Result{}, r.client.Get(ctx, req.NamespacedName, &config)
}

func setUpGeneric(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at hidden/shapes\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	r := &generic[*v1.Backup]{client: mgr.GetClient(), object: &v1.Backup{}}
	return ctrl.NewControllerManagedBy(mgr).For(r.object).Complete(r)
}

// readers may be implemented by many.
type readers interface{ Reader() client.Reader }

type ofManager struct{ mgr ctrl.Manager }

func (o ofManager) Reader() client.Reader { return o.mgr.GetClient() }

func throughAGetter(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^hygiene: every v1\.Node of the cluster is kept in memory for reads at hidden/shapes\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	var r readers = ofManager{mgr}
	return r.Reader().Get(ctx, key, &corev1.Node{})
}

func inALiteral(cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/shapes\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
	}))
}

// options has the alias's name of the type.
type options = ctrl.Options

func withAnAlias(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/shapes\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	type secret = corev1.Secret
	return mgr.GetClient().Get(ctx, key, &secret{})
}

func suppressed(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) //nolint:cachescope // the clusters are small
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func suppressedByCategory(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	//lint:ignore cachescope the role allows no more than one namespace
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

// several are two managers, each with a kind that the other one watches.
func several(ctx context.Context, cfg, remote *rest.Config, key client.ObjectKey) error {
	local, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at hidden/shapes\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	other, err := ctrl.NewManager(remote, ctrl.Options{})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(other).For(&corev1.Pod{}).Complete(&embedded{}); err != nil {
		return err
	}
	if err := other.GetClient().Get(ctx, key, &corev1.Pod{}); err != nil {
		return err
	}
	return local.GetClient().Get(ctx, key, &corev1.Secret{})
}

// steps are methods that are kept as functions.
type steps struct{ name string }

func (s *steps) first(ctx context.Context, c client.Client, key client.ObjectKey) error {
	return c.Get(ctx, key, &corev1.Pod{})
}

func boundMethods(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Pod of the cluster is kept in memory for reads at hidden/shapes\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	s := &steps{}
	for _, step := range []func(context.Context, client.Client, client.ObjectKey) error{s.first} {
		if err := step(ctx, mgr.GetClient(), key); err != nil {
			return err
		}
	}
	return nil
}

package hidden

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Helpers fill the map.

type config struct{ secrets, backups string }

func limitsOf(cfg config) (map[client.Object]cache.ByObject, error) {
	limits := map[client.Object]cache.ByObject{}
	if cfg.secrets != "" {
		if err := limitTo[corev1.Secret](cfg.secrets, limits); err != nil {
			return nil, err
		}
	}
	return limits, nil
}

func limitTo[T any](selector string, limits map[client.Object]cache.ByObject) error {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return err
	}
	object, _ := any(new(T)).(client.Object)
	limits[object] = cache.ByObject{Label: parsed}
	return nil
}

func filledByGeneric(ctx context.Context, cfg *rest.Config, key client.ObjectKey, own config) error {
	limits, err := limitsOf(own)
	if err != nil {
		return err
	}
	var options cache.Options
	options.ByObject = limits
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: options})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func limitBackups(own labels.Selector, limits map[client.Object]cache.ByObject) {
	limits[&v1.Backup{}] = cache.ByObject{Label: own}
}

// What the helper puts in is of another kind.
func filledWithOther(ctx context.Context, cfg *rest.Config, key client.ObjectKey, own labels.Selector) error {
	limits := make(map[client.Object]cache.ByObject)
	limitBackups(own, limits)
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: limits}}) // want `^load: every v1\.Secret of the cluster is kept in memory`
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func limitIfAny(own labels.Selector, limits map[client.Object]cache.ByObject) {
	fill := func() { limits[&corev1.Secret{}] = cache.ByObject{Label: own} }
	fill()
}

func filledByLiteral(ctx context.Context, cfg *rest.Config, key client.ObjectKey, own labels.Selector) error {
	limits := make(map[client.Object]cache.ByObject)
	limitIfAny(own, limits)
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: limits}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func copied(ctx context.Context, cfg *rest.Config, key client.ObjectKey, given map[client.Object]cache.ByObject) error {
	limits := make(map[client.Object]cache.ByObject)
	maps.Copy(limits, given)
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: limits}})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

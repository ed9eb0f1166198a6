package watched

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func limitedAndPicked(cfg *rest.Config, own labels.Selector) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.ConfigMap{}: {Label: own}}}})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(enqueue), builder.WithPredicates(predicate.NewPredicateFuncs(isOurs))).Complete(&reconciler{})
}

func metadataOnly(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}, builder.OnlyMetadata).
		WatchesMetadata(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(enqueue)).Complete(&reconciler{})
}

func disabledAndMetadata(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return err
	}
	if err := mgr.GetClient().Get(context.Background(), client.ObjectKey{}, &corev1.Secret{}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}, builder.OnlyMetadata).Complete(&reconciler{})
}

func disabledAndLimited(cfg *rest.Config, own labels.Selector) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Cache:  cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {Label: own}}},
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

func allPods(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(&reconciler{})
}

func nodesThatChange(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(enqueue), builder.WithPredicates(predicate.LabelChangedPredicate{})).Complete(&reconciler{})
}

// What a predicate says cannot always be said by a selector.
func notBySelector(cfg *rest.Config, names map[string]bool) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(enqueue), builder.WithPredicates(
			predicate.NewPredicateFuncs(func(o client.Object) bool { return strings.HasPrefix(o.GetName(), "backup-") }),
			predicate.NewPredicateFuncs(func(o client.Object) bool { return names[o.GetName()] }),
			predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetName() == "a" || o.GetName() == "b" }),
			predicate.NewPredicateFuncs(func(o client.Object) bool { return isOurs(o) || len(o.GetOwnerReferences()) > 0 }),
			predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetNamespace() != "kube-system" }),
		)).Complete(&reconciler{})
}

// Creations are let pass without a look at the labels.
func someEventsPass(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(enqueue), builder.WithPredicates(predicate.Funcs{
			UpdateFunc: func(e event.UpdateEvent) bool { return isOurs(e.ObjectNew) },
		})).Complete(&reconciler{})
}

// Another controller wants the other Pods as well.
func anotherWatchOfAll(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(&reconciler{}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(enqueue), builder.WithPredicates(predicate.NewPredicateFuncs(isOurs))).Complete(&reconciler{})
}

func emptyEntryUnderADefault(cfg *rest.Config, namespace string) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{
		DefaultNamespaces: map[string]cache.Config{namespace: {}},
		ByObject:          map[client.Object]cache.ByObject{&corev1.Secret{}: {}},
	}})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

func everythingOnPurpose(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{
		ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {Label: labels.Everything()}},
	}})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}).Complete(&reconciler{})
}

func emptyEntryForOurKind(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{&v1.Backup{}: {}}}})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&reconciler{})
}

func disabledForOurKind(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&v1.Backup{}}}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&reconciler{}) // reads must be fresh
}

func webhookOnly(cfg *rest.Config) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Pod{}}}},
	})
	if err != nil {
		return err
	}
	return ctrl.NewWebhookManagedBy(mgr, &corev1.Pod{}).Complete() // a webhook watches nothing
}

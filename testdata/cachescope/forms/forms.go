// Package forms uses kinds in several forms, each of which has a cache.
package forms

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{}

func (*reconciler) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}

func watchesMetadataReadsAll(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is in memory twice, typed \(forms\.go:\d+\) and as metadata \(forms\.go:\d+\).*cachescope/two-caches`
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}, builder.OnlyMetadata).Complete(&reconciler{}); err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

func watchesAllReadsMetadata(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.Pod of the cluster is in memory twice, typed \(forms/forms\.go:\d+\) and as metadata \(forms/forms\.go:\d+\).*cachescope/two-caches`
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(&reconciler{}); err != nil {
		return err
	}
	pods := &metav1.PartialObjectMetadataList{}
	pods.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
	return mgr.GetClient().List(ctx, pods, client.InNamespace("backups"))
}

func watchesUnstructured(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is in memory twice, typed \(forms/forms\.go:\d+\) and unstructured \(forms/forms\.go:\d+\).*cachescope/two-caches`
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Watches(u, &handler.EnqueueRequestForObject{}).Complete(&reconciler{}); err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.ConfigMap{})
}

func readsMetadataLiteral(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{}) // want `^load: every v1\.ConfigMap of the cluster is in memory twice, typed \(forms\.go:\d+\) and as metadata \(forms\.go:\d+\).*cachescope/two-caches`
	if err != nil {
		return err
	}
	config := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}}
	if err := mgr.GetClient().Get(ctx, key, config); err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.ConfigMap{})
}

// Right: one form, or one cache.

func metadataOnly(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}, builder.OnlyMetadata).Complete(&reconciler{}); err != nil {
		return err
	}
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if err := mgr.GetClient().Get(ctx, key, secret); err != nil {
		return err
	}
	return mgr.GetAPIReader().Get(ctx, key, &corev1.Secret{})
}

func unstructuredReadsAreLive(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(&reconciler{}); err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	return mgr.GetClient().Get(ctx, key, u)
}

func anotherKindAsMetadata(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(&reconciler{}); err != nil {
		return err
	}
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return mgr.GetClient().Get(ctx, key, secret)
}

func limitedInBothForms(ctx context.Context, cfg *rest.Config, key client.ObjectKey, own labels.Selector) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {Label: own}}}})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&corev1.Secret{}, builder.OnlyMetadata).Complete(&reconciler{}); err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

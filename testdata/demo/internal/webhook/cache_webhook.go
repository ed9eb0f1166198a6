// Package webhook fills in and checks caches before they are stored.
package webhook

import (
	"context"
	"fmt"
	"regexp"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// CacheWebhook is the admission webhook for caches.
type CacheWebhook struct {
	Reader client.Reader
}

// +kubebuilder:webhook:path=/mutate-cache-demo-opvet-dev-v1alpha1-cache,mutating=true,failurePolicy=fail,sideEffects=None,groups=cache.demo.opvet.dev,resources=caches,verbs=create;update,versions=v1alpha1,name=mcache.demo.opvet.dev,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-cache-demo-opvet-dev-v1alpha1-cache,mutating=false,failurePolicy=fail,sideEffects=None,groups=cache.demo.opvet.dev,resources=caches,verbs=create;update;delete,versions=v1alpha1,name=vcache.demo.opvet.dev,admissionReviewVersions=v1

var version = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// Default fills in what the user left out.
func (w *CacheWebhook) Default(_ context.Context, cache *v1alpha1.Cache) error {
	if cache.Spec.Replicas == nil {
		replicas := int32(3)
		cache.Spec.Replicas = &replicas
	}
	if cache.Annotations[v1alpha1.FirstVersionAnnotation] == "" {
		cache.Annotations[v1alpha1.FirstVersionAnnotation] = cache.Spec.Version
	}
	return nil
}

// ValidateCreate checks a new Cache.
func (w *CacheWebhook) ValidateCreate(_ context.Context, cache *v1alpha1.Cache) (admission.Warnings, error) {
	return nil, validate(cache)
}

// ValidateUpdate checks a changed Cache.
func (w *CacheWebhook) ValidateUpdate(_ context.Context, old, cache *v1alpha1.Cache) (admission.Warnings, error) {
	if !cache.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	var warnings admission.Warnings
	if old.Spec.Version != cache.Spec.Version && old.Status.Phase == v1alpha1.CacheUpgrading {
		warnings = append(warnings, "an upgrade is still under way")
	}
	return warnings, validate(cache)
}

// ValidateDelete refuses to delete a Cache that is being saved.
func (w *CacheWebhook) ValidateDelete(ctx context.Context, cache *v1alpha1.Cache) (admission.Warnings, error) {
	var backups v1alpha1.CacheBackupList
	if err := w.Reader.List(ctx, &backups, client.InNamespace(cache.Namespace)); err != nil {
		return nil, fmt.Errorf("listing the backups: %w", err)
	}
	for i := range backups.Items {
		backup := &backups.Items[i]
		if backup.Spec.Cache == cache.Name && backup.Status.Phase == v1alpha1.BackupRunning {
			return nil, fmt.Errorf("backup %s is still running", backup.Name)
		}
	}
	return nil, nil
}

func validate(cache *v1alpha1.Cache) error {
	if !version.MatchString(cache.Spec.Version) {
		return fmt.Errorf("spec.version: %q is not of the form 1.2.3", cache.Spec.Version)
	}
	return nil
}

// SetupWithManager registers the webhook.
func (w *CacheWebhook) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &v1alpha1.Cache{}).
		WithDefaulter(w).
		WithValidator(w).
		Complete()
}

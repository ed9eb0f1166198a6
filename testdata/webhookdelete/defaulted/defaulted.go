// Package defaulted has a webhook that sets defaults when objects are created, and another one
// that is asked about updates.
package defaulted

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:webhook:path=/mutate-backup,mutating=true,failurePolicy=fail,groups=example.com,resources=backups,verbs=create,versions=v1,name=defaults.backups.example.com
// +kubebuilder:webhook:path=/validate-backup,mutating=false,failurePolicy=fail,groups=example.com,resources=backups,verbs=create;update,versions=v1,name=backups.example.com

type defaulter struct{ client client.Client }

func (d *defaulter) Default(ctx context.Context, obj runtime.Object) error {
	backup := obj.(*v1.Backup)
	return d.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: "defaults"}, &corev1.ConfigMap{}) // want `hygiene: .*Default refuses`
}

type validator struct{ client client.Client }

func (v *validator) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (v *validator) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	return nil, v.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, &corev1.ConfigMap{}) // want `stuck: .*ValidateUpdate refuses`
}

func (v *validator) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

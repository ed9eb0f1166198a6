// Package situations has webhooks that look for other objects in some situations only.
package situations

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:webhook:path=/validate-backup,mutating=false,failurePolicy=fail,groups=example.com,resources=backups,verbs=create;update,versions=v1,name=backups.example.com

type base struct{ client client.Client }

func (base) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (b base) source(ctx context.Context, backup *v1.Backup) error {
	return b.client.Get(ctx, types.NamespacedName{Namespace: backup.Namespace, Name: backup.Spec.Source}, &corev1.Secret{})
}

type mode string

const (
	creating mode = "create"
	updating mode = "update"
)

// The mistakes: the mode, the flag and the old object are those of an update.
type byMode struct{ base }

func (w byMode) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup), creating)
}

func (w byMode) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup), updating) // want `stuck: .*stays forever if the Secret is gone: ValidateUpdate refuses`
}

func (w byMode) validate(ctx context.Context, backup *v1.Backup, m mode) error {
	if m == creating {
		return nil
	}
	return w.source(ctx, backup)
}

type byFlag struct{ base }

func (w byFlag) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup), false)
}

func (w byFlag) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup), true) // want `stuck: .*stays forever if the Secret is gone: ValidateUpdate refuses`
}

func (w byFlag) validate(ctx context.Context, backup *v1.Backup, exists bool) error {
	return w.check(ctx, backup, exists)
}

func (w byFlag) check(ctx context.Context, backup *v1.Backup, exists bool) error {
	if !exists {
		return nil
	}
	return w.source(ctx, backup)
}

type byOld struct{ base }

func (w byOld) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, nil, obj.(*v1.Backup))
}

func (w byOld) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, old.(*v1.Backup), obj.(*v1.Backup)) // want `stuck: .*stays forever if the Secret is gone: ValidateUpdate refuses`
}

func (w byOld) validate(ctx context.Context, old, backup *v1.Backup) error {
	if old == nil {
		return nil
	}
	return w.source(ctx, backup)
}

// Traps: these are those of a creation.
type onlyCreating struct{ base }

func (w onlyCreating) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup), creating)
}

func (w onlyCreating) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup), updating)
}

func (w onlyCreating) validate(ctx context.Context, backup *v1.Backup, m mode) error {
	switch m {
	case creating:
		return w.source(ctx, backup)
	}
	return nil
}

type withoutFlag struct{ base }

func (w withoutFlag) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup), true)
}

func (w withoutFlag) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup), false)
}

func (w withoutFlag) validate(ctx context.Context, backup *v1.Backup, isNew bool) error {
	return w.check(ctx, backup, isNew)
}

func (w withoutFlag) check(ctx context.Context, backup *v1.Backup, isNew bool) error {
	if isNew {
		return w.source(ctx, backup)
	}
	return nil
}

type withoutOld struct{ base }

func (w withoutOld) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, nil, obj.(*v1.Backup))
}

func (w withoutOld) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, old.(*v1.Backup), obj.(*v1.Backup))
}

func (w withoutOld) validate(ctx context.Context, old, backup *v1.Backup) error {
	if old == nil {
		return w.source(ctx, backup)
	}
	return nil
}

// Traps: nothing differs in an update that takes a finalizer off, wherever the objects are compared.
type ifReferenceDiffers struct{ base }

func (w ifReferenceDiffers) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, nil, obj.(*v1.Backup))
}

func (w ifReferenceDiffers) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, old.(*v1.Backup), obj.(*v1.Backup))
}

func (w ifReferenceDiffers) validate(ctx context.Context, old, backup *v1.Backup) error {
	source := backup.Spec.Source
	if source == "" {
		return nil
	}
	if old != nil {
		if before := old.Spec.Source; before != "" && before == source {
			return nil
		}
	}
	return w.source(ctx, backup)
}

type ifSpecDiffers struct{ base }

func (w ifSpecDiffers) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, nil, obj.(*v1.Backup))
}

func (w ifSpecDiffers) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, old.(*v1.Backup), obj.(*v1.Backup))
}

func (w ifSpecDiffers) validate(ctx context.Context, old, backup *v1.Backup) error {
	if old != nil && equality.Semantic.DeepEqual(old.Spec, backup.Spec) {
		return nil
	}
	return w.source(ctx, backup)
}

// Traps: what is read belongs to the operator's installation, whatever the Backup.
type settings struct {
	base
	namespace string
}

func (w settings) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w settings) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	key := types.NamespacedName{Namespace: w.namespace}
	key.Name = "settings"
	if err := w.client.Get(ctx, key, &corev1.ConfigMap{}); err != nil {
		return nil, err
	}
	return nil, w.credentials(ctx, "admin")
}

func (w settings) credentials(ctx context.Context, name string) error {
	return w.client.Get(ctx, types.NamespacedName{Namespace: os.Getenv("NAMESPACE"), Name: name}, &corev1.Secret{})
}

// It is not, if its namespace is that of the Backup.
type besideIt struct{ base }

func (w besideIt) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w besideIt) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.named(ctx, obj.(*v1.Backup).Namespace, "settings") // want `stuck: .*stays forever if the ConfigMap is gone: ValidateUpdate refuses`
}

func (w besideIt) named(ctx context.Context, namespace, name string) error {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	return w.client.Get(ctx, key, &corev1.ConfigMap{})
}

// Trap: what is updated is there.
type itself struct{ base }

func (w itself) Default(ctx context.Context, obj runtime.Object) error {
	backup := obj.(*v1.Backup)
	return w.client.Get(ctx, client.ObjectKeyFromObject(backup), &v1.Backup{})
}

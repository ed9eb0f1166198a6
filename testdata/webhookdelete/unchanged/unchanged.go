// Package unchanged refuses changes before it reads what an object refers to: what goes on from there has not
// changed, as an object that is being deleted has not.
package unchanged

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:webhook:path=/validate-backup,mutating=false,failurePolicy=fail,groups=example.com,resources=backups,verbs=create;update,versions=v1,name=backups.example.com

type immutable struct{ client client.Client }

func (w *immutable) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *immutable) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *immutable) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	before, backup := old.(*v1.Backup), obj.(*v1.Backup)
	if before.Spec.Source != backup.Spec.Source {
		return nil, apierrors.NewForbidden(v1.GroupVersion.WithResource("backups").GroupResource(), backup.Name, errors.New("the source is immutable"))
	}
	if err := w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, &corev1.Secret{}); err != nil { // want `stuck: .*an object that is being deleted stays forever if the Secret is gone`
		return nil, err
	}
	return nil, nil
}

// The change is refused by a list of errors.
type listed struct{ client client.Client }

func (w *listed) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *listed) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *listed) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	before, backup := old.(*v1.Backup), obj.(*v1.Backup)
	if !equality.Semantic.DeepEqual(before.Spec, backup.Spec) {
		errs := field.ErrorList{field.Forbidden(field.NewPath("spec"), "immutable")}
		return nil, apierrors.NewInvalid(v1.GroupVersion.WithKind("Backup").GroupKind(), backup.Name, errs)
	}
	return nil, w.source(ctx, backup) // want `stuck: .*an object that is being deleted stays forever if the ConfigMap is gone`
}

func (w *listed) source(ctx context.Context, backup *v1.Backup) error {
	return w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, &corev1.ConfigMap{})
}

// Right: nothing is read unless something has changed, whatever is refused besides.
type changed struct{ client client.Client }

func (w *changed) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *changed) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *changed) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	before, backup := old.(*v1.Backup), obj.(*v1.Backup)
	if before.Name != backup.Name {
		return nil, errors.New("the name is immutable")
	}
	if before.Spec.Source == backup.Spec.Source {
		return nil, nil
	}
	if err := w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, &corev1.Secret{}); err != nil {
		return nil, err
	}
	return nil, nil
}

// Who may change it is asked about alone: what is returned there need not be an error.
type asked struct{ client client.Client }

func (w *asked) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *asked) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *asked) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	before, backup := old.(*v1.Backup), obj.(*v1.Backup)
	if equality.Semantic.DeepEqual(before.Spec, backup.Spec) {
		return nil, w.unchanged(backup)
	}
	if err := w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, &corev1.Secret{}); err != nil {
		return nil, err
	}
	return nil, nil
}

func (w *asked) unchanged(backup *v1.Backup) error {
	if backup.Spec.Source == "" {
		return errors.New("no source")
	}
	return nil
}

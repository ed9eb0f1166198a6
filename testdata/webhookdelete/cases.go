// Package webhookdelete validates objects, also while they are being deleted.
package webhookdelete

import (
	"context"
	"errors"
	"fmt"

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
// +kubebuilder:webhook:path=/mutate-backup,mutating=true,failurePolicy=fail,groups=example.com,resources=backups,verbs=create;update,versions=v1,name=defaults.backups.example.com

// The mistakes.

type direct struct{ client client.Client }

func (w *direct) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *direct) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	secret := &corev1.Secret{}
	if err := w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, secret); err != nil { // want `stuck: .*an object that is being deleted stays forever if the Secret is gone: ValidateUpdate refuses the update that takes its finalizer off; return early \(webhookdelete/blocks-finalizer\)`
		return nil, fmt.Errorf("looking for the secret: %w", err)
	}
	return nil, nil
}

func (w *direct) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// One error of a field is one, too.
type oneField struct{ client client.Client }

func (w *oneField) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *oneField) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	if err := w.source(ctx, backup); err != nil { // want `stuck: .*an object that is being deleted stays forever if the Secret is gone`
		return nil, apierrors.NewInvalid(v1.GroupVersion.WithKind("Backup").GroupKind(), backup.Name, field.ErrorList{err})
	}
	return nil, nil
}

func (w *oneField) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *oneField) source(ctx context.Context, backup *v1.Backup) *field.Error {
	secret := corev1.Secret{}
	if err := w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, &secret); err != nil {
		return field.Invalid(field.NewPath("spec", "source"), backup.Spec.Source, err.Error())
	}
	return nil
}

// What one error of a field says is only a warning.
type warned struct{ client client.Client }

func (w *warned) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *warned) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	if err := w.source(ctx, obj.(*v1.Backup)); err != nil {
		return admission.Warnings{err.Error()}, nil
	}
	return nil, nil
}

func (w *warned) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *warned) source(ctx context.Context, backup *v1.Backup) *field.Error {
	secret := corev1.Secret{}
	if err := w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, &secret); err != nil {
		return field.Invalid(field.NewPath("spec", "source"), backup.Spec.Source, err.Error())
	}
	return nil
}

type shared struct{ client client.Reader }

func (w *shared) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup))
}

func (w *shared) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, w.validate(ctx, obj.(*v1.Backup)) // want `stuck: .*an object that is being deleted stays forever if the ConfigMap is gone: ValidateUpdate refuses.*\(webhookdelete/blocks-finalizer\)`
}

func (w *shared) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *shared) validate(ctx context.Context, backup *v1.Backup) error {
	var all field.ErrorList
	all = append(all, w.validateSource(ctx, backup)...)
	if len(all) == 0 {
		return nil
	}
	return apierrors.NewInvalid(v1.GroupVersion.WithKind("Backup").GroupKind(), backup.Name, all)
}

func (w *shared) validateSource(ctx context.Context, backup *v1.Backup) field.ErrorList {
	var all field.ErrorList
	cm := &corev1.ConfigMap{}
	if err := w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, cm); apierrors.IsNotFound(err) {
		all = append(all, field.NotFound(field.NewPath("spec", "source"), backup.Spec.Source))
	}
	return all
}

type defaulter struct{ client client.Client }

func (d *defaulter) Default(ctx context.Context, obj runtime.Object) error {
	backup := obj.(*v1.Backup)
	class := &corev1.ConfigMap{}
	if err := d.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: "defaults"}, class); err != nil { // want `stuck: .*an object that is being deleted stays forever if the ConfigMap is gone: Default refuses.*\(webhookdelete/blocks-finalizer\)`
		return err
	}
	backup.Spec.Options = class.Data
	return nil
}

// Right.

type returnsEarly struct{ client client.Client }

func (w *returnsEarly) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *returnsEarly) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	if !backup.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	return nil, get(ctx, w.client, backup)
}

func (w *returnsEarly) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func get(ctx context.Context, c client.Client, backup *v1.Backup) error {
	return c.Get(ctx, client.ObjectKey{Name: backup.Spec.Source}, &corev1.Secret{})
}

type ifChanged struct{ client client.Client }

func (w *ifChanged) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *ifChanged) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	before, backup := old.(*v1.Backup), obj.(*v1.Backup)
	if equality.Semantic.DeepEqual(before.Spec, backup.Spec) {
		return nil, nil
	}
	return nil, get(ctx, w.client, backup)
}

func (w *ifChanged) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

type missingIsFine struct{ client client.Client }

func (w *missingIsFine) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *missingIsFine) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	err := w.client.Get(ctx, client.ObjectKeyFromObject(obj.(*v1.Backup)), &corev1.Secret{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return nil, err
}

func (w *missingIsFine) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

type onlyTheSpec struct{}

func (w *onlyTheSpec) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *onlyTheSpec) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	if old.(*v1.Backup).Spec.Source != obj.(*v1.Backup).Spec.Source {
		return nil, errors.New("the source is immutable")
	}
	return nil, nil
}

func (w *onlyTheSpec) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

type onlyOnCreate struct{ client client.Client }

func (w *onlyOnCreate) ValidateCreate(ctx context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, get(ctx, w.client, obj.(*v1.Backup))
}

func (w *onlyOnCreate) ValidateUpdate(context.Context, runtime.Object, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *onlyOnCreate) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// ofNodes is for a kind that Kubernetes serves: the module puts no finalizer on it.
type ofNodes struct{ client client.Client }

func (d *ofNodes) Default(ctx context.Context, obj runtime.Object) error {
	node := obj.(*corev1.Node)
	pool := &v1.Backup{}
	return d.client.Get(ctx, client.ObjectKey{Name: node.Labels["pool"]}, pool)
}

// ofNodesByHelper hands the node on.
type ofNodesByHelper struct{ client client.Client }

func (d *ofNodesByHelper) Default(ctx context.Context, obj runtime.Object) error {
	return d.fill(ctx, obj)
}

func (d *ofNodesByHelper) fill(ctx context.Context, obj runtime.Object) error {
	node, ok := obj.(*corev1.Node)
	if !ok {
		return nil
	}
	pool := &v1.Backup{}
	return d.client.Get(ctx, client.ObjectKey{Name: node.Labels["pool"]}, pool)
}

// immutable compares the objects as well, and reads whatever comes of that.
type immutable struct{ client client.Client }

func (w *immutable) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *immutable) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	before, backup := old.(*v1.Backup), obj.(*v1.Backup)
	var all field.ErrorList
	if before.Spec.Source != backup.Spec.Source {
		all = append(all, field.Forbidden(field.NewPath("spec", "source"), "immutable"))
	}
	if err := get(ctx, w.client, backup); err != nil { // want `stuck: .*stays forever if the .* is gone: ValidateUpdate refuses`
		return nil, err
	}
	return nil, all.ToAggregate()
}

func (w *immutable) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// ifBothChanged reads only if one of two fields has changed.
type ifBothChanged struct{ client client.Client }

func (w *ifBothChanged) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *ifBothChanged) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	before, backup := old.(*v1.Backup), obj.(*v1.Backup)
	if before.Spec.Source == backup.Spec.Source && before.Spec.Paused == backup.Spec.Paused {
		return nil, nil
	}
	return nil, get(ctx, w.client, backup)
}

func (w *ifBothChanged) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// A namespace outlives the objects in it, so it is there.
type inNamespace struct{ client client.Client }

func (w *inNamespace) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *inNamespace) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	namespace := &corev1.Namespace{}
	if err := w.client.Get(ctx, client.ObjectKey{Name: backup.Namespace}, namespace); err != nil {
		return nil, fmt.Errorf("looking for the namespace: %w", err)
	}
	return nil, nil
}

func (w *inNamespace) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// A Secret that is gone is passed over; what is refused after that is something else.
type passedOver struct{ client client.Client }

func (w *passedOver) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *passedOver) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (warnings admission.Warnings, err error) {
	backup := obj.(*v1.Backup)
	{
		secret := &corev1.Secret{}
		if err := w.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: backup.Spec.Source}, secret); err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	if backup.DeletionTimestamp != nil {
		return
	}
	_, err = parse(backup.Spec.Source)
	if err != nil {
		return
	}
	return nil, nil
}

func (w *passedOver) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func parse(source string) (string, error) {
	if source == "" {
		return "", errors.New("no source")
	}
	return source, nil
}

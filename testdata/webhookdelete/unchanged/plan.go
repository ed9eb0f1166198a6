package unchanged

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// reader is set where the manager is.
var reader client.Reader

// planned collects errors, and reads with the client of the package.
type planned struct{}

func (w *planned) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *planned) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (w *planned) ValidateUpdate(ctx context.Context, _, obj runtime.Object) (admission.Warnings, error) {
	backup, ok := obj.(*v1.Backup)
	if !ok {
		return nil, fmt.Errorf("expected a Backup but got %T", obj)
	}
	return w.validate(ctx, backup) // want `stuck: .*an object that is being deleted stays forever if the Secret is gone`
}

func (w *planned) validate(ctx context.Context, backup *v1.Backup) (admission.Warnings, error) {
	var all field.ErrorList

	errs := w.plan(ctx, backup)
	all = append(all, errs...)

	if len(all) > 0 {
		return nil, apierrors.NewInvalid(backup.GroupVersionKind().GroupKind(), backup.Name, all)
	}
	return nil, nil
}

func (w *planned) plan(ctx context.Context, backup *v1.Backup) field.ErrorList {
	var all field.ErrorList
	path := field.NewPath("spec", "source")
	if backup.Spec.Source == "" {
		all = append(all, field.Required(path, "must be set"))
		return all
	}
	namespace := backup.Spec.Options["namespace"]
	if namespace == "" {
		namespace = backup.Namespace
	}
	if namespace != backup.Namespace {
		all = append(all, field.Invalid(path, namespace, "must be in the same namespace"))
		return all
	}
	plan := &corev1.Secret{}
	key := client.ObjectKey{
		Namespace: namespace,
		Name:      backup.Spec.Source,
	}
	if err := reader.Get(ctx, key, plan); err != nil {
		if apierrors.IsNotFound(err) {
			all = append(all, field.NotFound(path, backup.Spec.Source))
		} else {
			all = append(all, field.InternalError(path, fmt.Errorf("looking for it: %w", err)))
		}
	}
	return all
}

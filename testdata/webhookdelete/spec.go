package webhookdelete

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The spec alone is checked: an object that is older than the check fails it.

func validSource(backup *v1.Backup) error {
	if backup.Spec.Source == "" {
		return errors.New("no source")
	}
	return nil
}

func validSpec(backup *v1.Backup) field.ErrorList {
	var all field.ErrorList
	if backup.Spec.Source == "" {
		all = append(all, field.Required(field.NewPath("spec", "source"), ""))
	}
	return all
}

type ofSpec struct{}

func (ofSpec) ValidateCreate(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (ofSpec) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	if err := validSource(obj.(*v1.Backup)); err != nil { // want `hygiene: an object that fails this check, being older than it, stays forever: ValidateUpdate refuses the update that takes its finalizer off; return early \(webhookdelete/blocks-finalizer\)`
		return nil, fmt.Errorf("refused: %w", err)
	}
	return nil, nil
}

func (ofSpec) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

type ofLists struct{ ofSpec }

func (ofLists) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, validSpec(obj.(*v1.Backup)).ToAggregate() // want `hygiene: an object that fails this check`
}

// Traps: what is being deleted is let through, here or in the check.

type lets struct{ ofSpec }

func (lets) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	if !backup.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	return nil, validSource(backup)
}

type letsInside struct{ ofSpec }

func (letsInside) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, validLiving(obj.(*v1.Backup))
}

func validLiving(backup *v1.Backup) error {
	if backup.DeletionTimestamp != nil {
		return nil
	}
	return validSource(backup)
}

// The old and the new object are compared, and no update that takes a finalizer off
// differs.
type compares struct{ ofSpec }

func (compares) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, sameSource(old.(*v1.Backup), obj.(*v1.Backup))
}

func sameSource(old, backup *v1.Backup) error {
	if old.Spec.Source != backup.Spec.Source {
		return errors.New("the source cannot be changed")
	}
	return nil
}

type ifOther struct{ ofSpec }

func (ifOther) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	backup := obj.(*v1.Backup)
	if old.(*v1.Backup).Spec.Source != backup.Spec.Source {
		return nil, validSource(backup)
	}
	return nil, nil
}

// What was there is looked at, to let it through.
type ofOld struct{ ofSpec }

func (ofOld) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	if err := validSource(old.(*v1.Backup)); err != nil {
		return admission.Warnings{err.Error()}, nil
	}
	return nil, nil
}

// A check that is only a warning.
type warns struct{ ofSpec }

func (warns) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	if err := validSource(obj.(*v1.Backup)); err != nil {
		return admission.Warnings{err.Error()}, nil
	}
	return nil, nil
}

// A check that never fails.
type never struct{ ofSpec }

func (never) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, admits(obj.(*v1.Backup))
}

func admits(*v1.Backup) error { return nil }

// Each update is refused, whatever it changes.
type frozen struct{ ofSpec }

func (frozen) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	return nil, fmt.Errorf("%s cannot be changed", old.(*v1.Backup).Name) // want `stuck: no object can be deleted that has a finalizer: ValidateUpdate refuses each update, also the one that takes the finalizer off; compare the specs \(webhookdelete/blocks-finalizer\)`
}

// Traps: one that is being deleted may be changed.
type thawed struct{ ofSpec }

func (thawed) ValidateUpdate(ctx context.Context, old, obj runtime.Object) (admission.Warnings, error) {
	if obj.(*v1.Backup).DeletionTimestamp == nil {
		return nil, errors.New("backups cannot be changed")
	}
	return nil, nil
}

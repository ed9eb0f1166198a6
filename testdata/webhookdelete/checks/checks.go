// Package checks validates for the webhooks of other packages.
package checks

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Spec fails if the Secret is gone.
func Spec(ctx context.Context, c client.Client, spec v1.BackupSpec) field.ErrorList {
	var errs field.ErrorList
	secret := &corev1.Secret{}
	if err := c.Get(ctx, client.ObjectKey{Name: spec.Source}, secret); err != nil {
		if apierrors.IsNotFound(err) {
			errs = append(errs, field.NotFound(field.NewPath("spec", "source"), spec.Source))
		} else {
			errs = append(errs, field.InternalError(field.NewPath("spec", "source"), err))
		}
	}
	return errs
}

// Update is what webhooks call.
func Update(ctx context.Context, c client.Client, old, new *v1.Backup) field.ErrorList {
	var errs field.ErrorList
	if old.Name != new.Name {
		errs = append(errs, field.Forbidden(field.NewPath("metadata", "name"), "immutable"))
	}
	return append(errs, Spec(ctx, c, new.Spec)...)
}

// Checker reads with a client of its own.
type Checker struct{ Client client.Client }

// Source fails if the ConfigMap is gone.
func (k *Checker) Source(ctx context.Context, backup *v1.Backup) error {
	return k.Client.Get(ctx, client.ObjectKey{Name: backup.Spec.Source}, &corev1.ConfigMap{})
}

// Living looks at nothing while the object is being deleted.
func Living(ctx context.Context, c client.Client, backup *v1.Backup) error {
	if backup.DeletionTimestamp != nil {
		return nil
	}
	return c.Get(ctx, client.ObjectKey{Name: backup.Spec.Source}, &corev1.Secret{})
}

// Optional can do without.
func Optional(ctx context.Context, c client.Client, backup *v1.Backup) error {
	err := c.Get(ctx, client.ObjectKey{Name: backup.Spec.Source}, &corev1.Secret{})
	return client.IgnoreNotFound(err)
}

// Names reads nothing.
func Names(_ context.Context, _ client.Client, backup *v1.Backup) error {
	if backup.Name == "" {
		return apierrors.NewBadRequest("no name")
	}
	return nil
}

// Find returns nil if there is none.
func Find(ctx context.Context, c client.Client, name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := c.Get(ctx, client.ObjectKey{Name: name}, secret); err != nil {
		if err = client.IgnoreNotFound(err); err == nil {
			return nil, nil
		}
		return nil, fmt.Errorf("looking for %s: %w", name, err)
	}
	return secret, nil
}

// Valid looks at the object alone.
func Valid(backup *v1.Backup) error {
	if backup.Spec.Source == "" {
		return fmt.Errorf("%s has no source", backup.Name)
	}
	return nil
}

// ValidAlive lets what is being deleted be as it is.
func ValidAlive(backup *v1.Backup) error {
	if !backup.GetDeletionTimestamp().IsZero() {
		return nil
	}
	return Valid(backup)
}

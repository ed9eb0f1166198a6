// Package right updates objects that were read.
package right

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/yaml"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) read(ctx context.Context, key client.ObjectKey) error {
	backup := &v1.Backup{}
	if err := r.Get(ctx, key, backup); err != nil {
		return err
	}
	backup.Spec.Paused = true
	return r.Update(ctx, backup)
}

// The version is taken over.
func (r *reconciler) version(ctx context.Context, existing *v1.Backup) error {
	desired := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: existing.Name}}
	desired.ResourceVersion = existing.ResourceVersion
	return r.Update(ctx, desired)
}

func (r *reconciler) setter(ctx context.Context, existing *v1.Backup) error {
	desired := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: existing.Name}}
	desired.SetResourceVersion(existing.GetResourceVersion())
	return r.Update(ctx, desired)
}

func (r *reconciler) metadata(ctx context.Context, existing *v1.Backup) error {
	desired := &v1.Backup{ObjectMeta: existing.ObjectMeta}
	return r.Update(ctx, desired)
}

func (r *reconciler) literal(ctx context.Context, existing *v1.Backup) error {
	return r.Update(ctx, &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: existing.Name, ResourceVersion: existing.ResourceVersion}})
}

// The creation fills it in.
func (r *reconciler) created(ctx context.Context, name string) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := r.Create(ctx, backup); err != nil {
		return err
	}
	backup.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, backup)
}

func (r *reconciler) upserted(ctx context.Context, name string) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, backup, func() error { return nil }); err != nil {
		return err
	}
	return r.Status().Update(ctx, backup)
}

// A helper reads, or takes the version over.
func (r *reconciler) helped(ctx context.Context, key client.ObjectKey) error {
	backup := &v1.Backup{}
	if err := r.load(ctx, key, backup); err != nil {
		return err
	}
	return r.Update(ctx, backup)
}

func (r *reconciler) load(ctx context.Context, key client.ObjectKey, into *v1.Backup) error {
	return r.Get(ctx, key, into)
}

func (r *reconciler) sent(ctx context.Context, existing *v1.Backup) error {
	desired := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: existing.Name}}
	takeOver(existing, desired)
	return r.Update(ctx, desired)
}

func takeOver(existing, desired *v1.Backup) { desired.ResourceVersion = existing.ResourceVersion }

// Copies, and what was decoded.
func (r *reconciler) copied(ctx context.Context, existing *v1.Backup) error {
	desired := existing.DeepCopy()
	if err := r.Update(ctx, desired); err != nil {
		return err
	}
	again := *existing
	return r.Update(ctx, &again)
}

func (r *reconciler) decoded(ctx context.Context, text []byte) error {
	backup := &v1.Backup{}
	if err := yaml.Unmarshal(text, backup); err != nil {
		return err
	}
	return r.Update(ctx, backup)
}

// It is updated only where it was read: NotFound has one answer.
func (r *reconciler) askedTwice(ctx context.Context, key client.ObjectKey) error {
	backup := &v1.Backup{}
	err := r.Get(ctx, key, backup)
	if apierrors.IsNotFound(err) {
		backup = &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: key.Name}}
	} else if err != nil {
		return err
	}
	backup.Spec.Paused = true
	if apierrors.IsNotFound(err) {
		return r.Create(ctx, backup)
	}
	return r.Update(ctx, backup)
}

// retried reads the object in a loop that has a first round.
func (r *reconciler) retried(ctx context.Context, key client.ObjectKey) error {
	var err error
	found := &v1.Backup{}
	for range 5 {
		if err = r.Get(ctx, key, found); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	found.Status.Phase = v1.BackupCompleted
	return r.Status().Update(ctx, found)
}

// counted does so with a counter.
func (r *reconciler) counted(ctx context.Context, key client.ObjectKey) error {
	var err error
	found := &v1.Backup{}
	for i := 0; i < 5; i++ {
		if err = r.Get(ctx, key, found); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	found.Status.Phase = v1.BackupCompleted
	return r.Status().Update(ctx, found)
}

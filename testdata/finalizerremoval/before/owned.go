package before

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// jobs owns the Jobs that it makes, and makes claims without an owner.
type jobs struct{ client.Client }

func (r *jobs) ensure(ctx context.Context, b *v1.Backup) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}}
	if err := controllerutil.SetControllerReference(b, job, r.Scheme()); err != nil {
		return err
	}
	return r.Create(ctx, job)
}

// The garbage collector takes the Jobs with their owner.
func (r *jobs) deletesOwned(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return r.deleteJobs(ctx, b)
}

func (r *jobs) deleteJobs(ctx context.Context, b *v1.Backup) error {
	for _, suffix := range []string{"-load", "-evict"} {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name + suffix}}
		if err := r.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// Nobody takes the claim.
func (r *jobs) deletesClaim(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil { // want `if deleteClaim on line \d+ fails, the claim leaks.*\(finalizerremoval/before-cleanup\)`
		return err
	}
	return r.deleteClaim(ctx, b)
}

func (r *jobs) deleteClaim(ctx context.Context, b *v1.Backup) error {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}}
	return client.IgnoreNotFound(r.Delete(ctx, claim))
}

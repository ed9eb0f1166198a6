package controller

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// BackupReconciler runs a Job for each CacheBackup.
type BackupReconciler struct {
	client.Client
}

// +kubebuilder:rbac:groups=cache.demo.opvet.dev,resources=cachebackups,verbs=get;list;watch
// +kubebuilder:rbac:groups=cache.demo.opvet.dev,resources=cachebackups/status,verbs=update;patch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create

// Reconcile starts the Job of a CacheBackup and records how it went.
func (r *BackupReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1alpha1.CacheBackup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !backup.DeletionTimestamp.IsZero() || backup.Status.Phase == v1alpha1.BackupSuperseded {
		return ctrl.Result{}, nil
	}
	job, err := r.ensureJob(ctx, &backup)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.updateStatus(ctx, &backup, job); err != nil {
		return ctrl.Result{}, err
	}
	if job.Status.Succeeded > 0 && backup.Spec.Replaces != "" {
		if err := r.supersede(ctx, backup.Namespace, backup.Spec.Replaces); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.noteSeen(ctx, &backup)
}

// ensureJob starts the Job unless it is there.
func (r *BackupReconciler) ensureJob(ctx context.Context, backup *v1alpha1.CacheBackup) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	err := r.Get(ctx, client.ObjectKeyFromObject(backup), job)
	if err == nil {
		return job, nil
	}
	if !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading the Job: %w", err)
	}
	job = &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Spec: batchv1.JobSpec{
			Template: corev1.PodTemplateSpec{
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers: []corev1.Container{{
						Name:  "save",
						Image: backup.Spec.Image,
						Args:  []string{"--cache", backup.Spec.Cache},
					}},
				},
			},
		},
	}
	if err := controllerutil.SetControllerReference(backup, job, r.Scheme()); err != nil {
		return nil, err
	}
	if err := r.Create(ctx, job); err != nil {
		return nil, fmt.Errorf("starting the Job: %w", err)
	}
	return job, nil
}

// updateStatus records how the Job is doing.
func (r *BackupReconciler) updateStatus(ctx context.Context, backup *v1alpha1.CacheBackup, job *batchv1.Job) error {
	status := backup.Status.DeepCopy()
	switch {
	case job.Status.Succeeded > 0:
		status.Phase = v1alpha1.BackupCompleted
		status.CompletionTime = job.Status.CompletionTime
	case job.Status.Failed > 0:
		status.Phase = v1alpha1.BackupFailed
	default:
		status.Phase = v1alpha1.BackupRunning
	}
	if err := r.Status().Update(ctx, backup); err != nil {
		return fmt.Errorf("updating the status: %w", err)
	}
	return nil
}

// supersede marks the backup that a newer one replaces.
func (r *BackupReconciler) supersede(ctx context.Context, namespace, name string) error {
	var old v1alpha1.CacheBackup
	if err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &old); err != nil {
		return client.IgnoreNotFound(err)
	}
	if old.Status.Phase != v1alpha1.BackupCompleted {
		return nil
	}
	old.Status.Phase = v1alpha1.BackupSuperseded
	return nil
}

// noteSeen records which generation was worked on.
func (r *BackupReconciler) noteSeen(ctx context.Context, backup *v1alpha1.CacheBackup) error {
	backup.Status.ObservedGeneration = backup.Generation
	return r.Status().Patch(ctx, backup, client.MergeFrom(backup.DeepCopy()))
}

// SetupWithManager registers the controller.
func (r *BackupReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CacheBackup{}).
		Owns(&batchv1.Job{}).
		Complete(r)
}

// Package stray deletes the Jobs that it does not make.
package stray

import (
	"context"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	clientset kubernetes.Interface
}

// The Jobs that are made have the name.
func (r *reconciler) others(ctx context.Context, backup *v1.Backup, jobs *batchv1.JobList) error {
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if job.Name == backup.Name+"-job" {
			continue
		}
		if err := r.Delete(ctx, job); err != nil { // want `^hygiene: the pods of the deleted Job stay`
			return err
		}
	}
	return nil
}

func (r *reconciler) otherwiseNamed(ctx context.Context, backup *v1.Backup, jobs *batchv1.JobList) error {
	for _, job := range jobs.Items {
		job := job
		if strings.HasPrefix(job.Name, backup.Name+"-run-") {
			continue
		}
		if err := r.Delete(ctx, &job); err != nil { // want `^hygiene: the pods of the deleted Job stay`
			return err
		}
	}
	return nil
}

func (r *reconciler) sweep(ctx context.Context, backup *v1.Backup, jobs []*batchv1.Job) {
	for _, job := range jobs {
		if job.Name != backup.Name {
			r.sweepOne(ctx, job.Namespace, job.Name)
		}
	}
}

func (r *reconciler) sweepOne(ctx context.Context, namespace, name string) {
	_ = r.clientset.BatchV1().Jobs(namespace).Delete(ctx, name, metav1.DeleteOptions{}) // want `^hygiene: the pods of the deleted Job stay`
}

// The mistakes: the name changes from run to run, it is the one that is made, or it is another Job's.
func (r *reconciler) old(ctx context.Context, backup *v1.Backup, jobs *batchv1.JobList) error {
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if job.Name == backup.Name+"-"+backup.ResourceVersion {
			continue
		}
		if err := r.Delete(ctx, job); err != nil { // want `^leak: the pods of the deleted Job stay`
			return err
		}
	}
	return nil
}

func (r *reconciler) own(ctx context.Context, backup *v1.Backup, jobs *batchv1.JobList) error {
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if job.Name != backup.Name+"-job" {
			continue
		}
		if err := r.Delete(ctx, job); err != nil { // want `^leak: the pods of the deleted Job stay`
			return err
		}
	}
	return nil
}

func (r *reconciler) allButTheLast(ctx context.Context, last *batchv1.Job, jobs *batchv1.JobList) error {
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if job.Name == last.Name {
			continue
		}
		if err := r.Delete(ctx, job); err != nil { // want `^leak: the pods of the deleted Job stay`
			return err
		}
	}
	return nil
}

func (r *reconciler) found(ctx context.Context, job *batchv1.Job) error {
	if job.Name != "" {
		return r.Delete(ctx, job) // want `^leak: the pods of the deleted Job stay`
	}
	return nil
}

func (r *reconciler) allButTheReferred(ctx context.Context, claim *corev1.PersistentVolumeClaim, jobs *batchv1.JobList) error {
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if job.Name == claim.Spec.DataSource.Name {
			continue
		}
		if err := r.Delete(ctx, job); err != nil { // want `^leak: the pods of the deleted Job stay`
			return err
		}
	}
	return nil
}

func (r *reconciler) turnedRound(ctx context.Context, backup *v1.Backup, jobs *batchv1.JobList) error {
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if backup.Name+"-job" != job.Name {
			if err := r.Delete(ctx, job); err != nil { // want `^hygiene: the pods of the deleted Job stay`
				return err
			}
		}
	}
	return nil
}

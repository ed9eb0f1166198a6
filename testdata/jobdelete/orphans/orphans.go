// Package orphans deletes Jobs and leaves their pods.
package orphans

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedbatchv1 "k8s.io/client-go/kubernetes/typed/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct {
	client.Client
	kube kubernetes.Interface
}

func (r *reconciler) cancel(ctx context.Context, job *batchv1.Job) error {
	return r.Delete(ctx, job) // want `the pods of the deleted Job stay: by default the API server orphans them; set the propagation policy to Background \(jobdelete/orphaned-pods\)`
}

// A typed client.
func (r *reconciler) typed(ctx context.Context, ns, name string) error {
	return r.kube.BatchV1().Jobs(ns).Delete(ctx, name, metav1.DeleteOptions{}) // want `the pods of the deleted Job stay`
}

func drop(ctx context.Context, jobs typedbatchv1.JobInterface, job *batchv1.Job) error {
	uid := job.UID
	options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
	return jobs.Delete(ctx, job.Name, options) // want `the pods of the deleted Job stay`
}

// Options that say something else.
func (r *reconciler) soon(ctx context.Context, job *batchv1.Job) error {
	return r.Delete(ctx, job, client.GracePeriodSeconds(0)) // want `the pods of the deleted Job stay`
}

func (r *reconciler) options(ctx context.Context, job *batchv1.Job) error {
	return r.Delete(ctx, job, &client.DeleteOptions{}) // want `the pods of the deleted Job stay`
}

// Many at once.
func (r *reconciler) all(ctx context.Context, ns string) error {
	return r.DeleteAllOf(ctx, &batchv1.Job{}, client.InNamespace(ns), client.MatchingLabels{"app": "backup"}) // want `the pods of the deleted Job stay`
}

func (r *reconciler) collection(ctx context.Context, ns string) error {
	return r.kube.BatchV1().Jobs(ns).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}) // want `the pods of the deleted Job stay`
}

// Elements of a list.
func (r *reconciler) prune(ctx context.Context) error {
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs); err != nil {
		return err
	}
	for i := range jobs.Items {
		if err := r.Delete(ctx, &jobs.Items[i]); client.IgnoreNotFound(err) != nil { // want `the pods of the deleted Job stay`
			return err
		}
	}
	return nil
}

// A helper for objects of any kind, which gets a Job.
func (r *reconciler) helped(ctx context.Context, job *batchv1.Job) error {
	return r.ignoreMissing(ctx, job)
}

func (r *reconciler) ignoreMissing(ctx context.Context, obj client.Object) error {
	return client.IgnoreNotFound(r.Delete(ctx, obj)) // want `the pods of the deleted Job stay`
}

// jobClient is a client as wrangler generates them: the namespace stands before the
// name, and there is no context.
type jobClient interface {
	Get(namespace, name string, options metav1.GetOptions) (*batchv1.Job, error)
	Delete(namespace, name string, options *metav1.DeleteOptions) error
}

type handler struct{ jobs jobClient }

func (h *handler) force(job *batchv1.Job) error {
	return h.jobs.Delete(job.Namespace, job.Name, &metav1.DeleteOptions{}) // want `the pods of the deleted Job stay`
}

func (h *handler) unsaid(job *batchv1.Job) error {
	return h.jobs.Delete(job.Namespace, job.Name, nil) // want `the pods of the deleted Job stay`
}

// The client takes a copy.
func (r *reconciler) copies(ctx context.Context, jobs []batchv1.Job) error {
	for _, job := range jobs {
		if err := r.Delete(ctx, job.DeepCopyObject().(client.Object)); err != nil { // want `the pods of the deleted Job stay`
			return err
		}
	}
	return nil
}

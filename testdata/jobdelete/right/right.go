// Package right deletes Jobs with their pods, or something else.
package right

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type reconciler struct {
	client.Client
	kube kubernetes.Interface
}

func (r *reconciler) background(ctx context.Context, job *batchv1.Job) error {
	return r.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
}

// Orphan is what somebody has chosen.
func (r *reconciler) orphan(ctx context.Context, job *batchv1.Job) error {
	policy := metav1.DeletePropagationOrphan
	return r.Delete(ctx, job, &client.DeleteOptions{PropagationPolicy: &policy})
}

func (r *reconciler) typed(ctx context.Context, ns, name string) error {
	foreground := metav1.DeletePropagationForeground
	options := metav1.DeleteOptions{}
	options.PropagationPolicy = &foreground
	return r.kube.BatchV1().Jobs(ns).Delete(ctx, name, options)
}

// The options are made elsewhere.
func (r *reconciler) given(ctx context.Context, job *batchv1.Job, options ...client.DeleteOption) error {
	return r.Delete(ctx, job, options...)
}

func (r *reconciler) helper(ctx context.Context, ns, name string) error {
	return r.kube.BatchV1().Jobs(ns).Delete(ctx, name, deleteOptions())
}

func deleteOptions() metav1.DeleteOptions {
	policy := metav1.DeletePropagationBackground
	return metav1.DeleteOptions{PropagationPolicy: &policy}
}

// The pods are deleted by hand.
func (r *reconciler) byHand(ctx context.Context, job *batchv1.Job) error {
	if err := r.deletePods(ctx, job); err != nil {
		return err
	}
	return r.Delete(ctx, job)
}

func (r *reconciler) deletePods(ctx context.Context, job *batchv1.Job) error {
	return r.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(job.Namespace), client.MatchingLabels{"job-name": job.Name})
}

// What belongs to a Deployment, or to a CronJob, is deleted with it.
func (r *reconciler) others(ctx context.Context, deployment *appsv1.Deployment, cron *batchv1.CronJob) error {
	if err := r.Delete(ctx, deployment); err != nil {
		return err
	}
	return r.Delete(ctx, cron)
}

// A client of one's own that sees to it.
type deleter struct{ client.Client }

func (d deleter) Delete(ctx context.Context, obj client.Object, options ...client.DeleteOption) error {
	return d.Client.Delete(ctx, obj, append(options, client.PropagationPolicy(metav1.DeletePropagationBackground))...)
}

func wrapped(ctx context.Context, d deleter, job *batchv1.Job) error { return d.Delete(ctx, job) }

// Each is deleted by a helper of its own.
func (r *reconciler) byHelpers(ctx context.Context, job *batchv1.Job) error {
	if err := r.dropAllPods(ctx, job); err != nil {
		return err
	}
	return r.dropJob(ctx, job)
}

func (r *reconciler) dropAllPods(ctx context.Context, job *batchv1.Job) error {
	return r.dropPods(ctx, client.MatchingLabels{"job-name": job.Name})
}

func (r *reconciler) dropPods(ctx context.Context, which client.MatchingLabels) error {
	return r.DeleteAllOf(ctx, &corev1.Pod{}, which)
}

func (r *reconciler) dropJob(ctx context.Context, job *batchv1.Job) error { return r.Delete(ctx, job) }

// The helpers have helpers.
func (r *reconciler) byHelpersOfHelpers(ctx context.Context, job *batchv1.Job) error {
	if err := r.dropPodsOf(ctx, job); err != nil {
		return err
	}
	return r.dropNow(ctx, job)
}

func (r *reconciler) dropPodsOf(ctx context.Context, job *batchv1.Job) error {
	return r.dropAllPods(ctx, job)
}

func (r *reconciler) dropNow(ctx context.Context, job *batchv1.Job) error {
	return r.drop(ctx, job)
}

func (r *reconciler) drop(ctx context.Context, job *batchv1.Job) error { return r.Delete(ctx, job) }

// jobClient is a client as wrangler generates them.
type jobClient interface {
	Get(namespace, name string, options metav1.GetOptions) (*batchv1.Job, error)
	Delete(namespace, name string, options *metav1.DeleteOptions) error
}

// secretClient is one for a kind whose deletion orphans nothing.
type secretClient interface {
	Get(namespace, name string, options metav1.GetOptions) (*corev1.Secret, error)
	Delete(namespace, name string, options *metav1.DeleteOptions) error
}

// archive is no client: what it deletes has no pods.
type archive interface {
	Delete(bucket, name string, options *metav1.DeleteOptions) error
}

type handler struct {
	jobs    jobClient
	secrets secretClient
	archive archive
}

func (h *handler) background(job *batchv1.Job) error {
	background := metav1.DeletePropagationBackground
	return h.jobs.Delete(job.Namespace, job.Name, &metav1.DeleteOptions{PropagationPolicy: &background})
}

func (h *handler) secret(job *batchv1.Job) error {
	return h.secrets.Delete(job.Namespace, job.Name, &metav1.DeleteOptions{})
}

func (h *handler) archived(job *batchv1.Job) error {
	return h.archive.Delete(job.Namespace, job.Name, &metav1.DeleteOptions{})
}

func (r *reconciler) copies(ctx context.Context, deployments []appsv1.Deployment, jobs []batchv1.Job) error {
	for _, deployment := range deployments {
		if err := r.Delete(ctx, deployment.DeepCopyObject().(client.Object)); err != nil {
			return err
		}
	}
	for _, job := range jobs {
		if err := r.Delete(ctx, job.DeepCopyObject().(client.Object), client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			return err
		}
	}
	return nil
}

// remover is another module's helper.
type remover interface {
	Remove(ctx context.Context, objects ...client.Object) error
}

// The pods are gathered for a helper that deletes them.
func (r *reconciler) gathered(ctx context.Context, with remover, job *batchv1.Job) error {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(job.Namespace), client.MatchingLabels{"controller-uid": string(job.UID)}); err != nil {
		return err
	}
	objects := make([]client.Object, len(pods.Items))
	for i := range pods.Items {
		objects[i] = &pods.Items[i]
	}
	if err := with.Remove(ctx, objects...); err != nil {
		return err
	}
	return r.Delete(ctx, job)
}

// The options of all deletions, which init fills.
var withPods *client.DeleteOptions

func init() {
	policy := client.PropagationPolicy(metav1.DeletePropagationForeground)
	withPods = &client.DeleteOptions{}
	policy.ApplyToDelete(withPods)
}

func (r *reconciler) byVariable(ctx context.Context, job *batchv1.Job) error {
	return r.Delete(ctx, job, withPods)
}

// The same by its field.
var foreground = &client.DeleteOptions{}

func init() {
	policy := metav1.DeletePropagationForeground
	foreground.PropagationPolicy = &policy
}

func (r *reconciler) byField(ctx context.Context, job *batchv1.Job) error {
	return r.Delete(ctx, job, foreground)
}

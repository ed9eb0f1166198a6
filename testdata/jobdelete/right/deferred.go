package right

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// runs deletes the pods where it reports on them, in a deferred step.
type runs struct{ client.Client }

func (r *runs) Reconcile(ctx context.Context, job *batchv1.Job) (err error) {
	defer func() {
		err = r.updateStatus(ctx, job)
	}()
	return r.stop(ctx, job)
}

func (r *runs) stop(ctx context.Context, job *batchv1.Job) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(job), job); err != nil {
		return err
	}
	return r.Delete(ctx, job)
}

func (r *runs) updateStatus(ctx context.Context, job *batchv1.Job) error {
	if err := r.readPods(ctx, job); err != nil {
		return err
	}
	return r.Status().Update(ctx, job)
}

func (r *runs) readPods(ctx context.Context, job *batchv1.Job) error {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(job.Namespace)); err != nil {
		return err
	}
	for _, pod := range pods.Items {
		if err := r.Delete(ctx, &pod); err != nil {
			return err
		}
	}
	return nil
}

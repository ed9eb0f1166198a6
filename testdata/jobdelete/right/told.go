package right

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Only objects of other kinds are replaced; a Job that exists is left as it is.
type children interface {
	ensure(ctx context.Context, obj client.Object, replace bool) error
}

type cluster struct{ client.Client }

func (c *cluster) ensure(ctx context.Context, obj client.Object, replace bool) error {
	err := c.Create(ctx, obj)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	if !replace {
		return nil
	}
	if err := c.Delete(ctx, obj); err != nil {
		return err
	}
	return c.Create(ctx, obj)
}

func run(ctx context.Context, c children, job *batchv1.Job, settings *corev1.ConfigMap) error {
	if err := c.ensure(ctx, settings, true); err != nil {
		return err
	}
	return c.ensure(ctx, job, false)
}

func use(ctx context.Context, c client.Client, job *batchv1.Job, settings *corev1.ConfigMap) error {
	return run(ctx, &cluster{c}, job, settings)
}

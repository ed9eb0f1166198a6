package orphans

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A helper that is told to replace the Job.
func replace(ctx context.Context, c client.Client, obj client.Object, replace, log bool) error {
	if log {
		println(obj.GetName())
	}
	if !replace {
		return nil
	}
	return c.Delete(ctx, obj) // want `the pods of the deleted Job stay`
}

// One that finds out whether it is to.
func replaceIf(ctx context.Context, c client.Client, obj client.Object, replace bool) error {
	if replace {
		return c.Delete(ctx, obj) // want `the pods of the deleted Job stay`
	}
	return nil
}

func replaced(ctx context.Context, c client.Client, job *batchv1.Job, settings *corev1.ConfigMap, changed bool) error {
	if err := replace(ctx, c, settings, false, true); err != nil {
		return err
	}
	if err := replaceIf(ctx, c, job, changed); err != nil {
		return err
	}
	return replace(ctx, c, job, true, false)
}

// One that calls itself, to replace it after all.
func ensure(ctx context.Context, c client.Client, obj client.Object, replace bool) error {
	if replace {
		return c.Delete(ctx, obj) // want `the pods of the deleted Job stay`
	}
	if err := c.Create(ctx, obj); apierrors.IsAlreadyExists(err) {
		return ensure(ctx, c, obj, true)
	} else if err != nil {
		return err
	}
	return nil
}

func ensured(ctx context.Context, c client.Client, job *batchv1.Job) error {
	return ensure(ctx, c, job, false)
}

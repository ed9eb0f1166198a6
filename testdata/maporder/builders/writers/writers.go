// Package writers writes the objects that another package puts together.
package writers

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/maporder/builders"
)

func compared(ctx context.Context, c client.Client, settings map[string]string) error {
	wanted, err := builders.Deployment("backend", settings) // want `^load: Container\.VolumeMounts changes each time, though nothing has changed: it is in the order of a map \(builders/builders\.go:14\); go through the sorted keys`
	if err != nil {
		return err
	}
	found := &appsv1.Deployment{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(wanted), found); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(found.Spec, wanted.Spec) {
		return nil
	}
	found.Spec = wanted.Spec
	return c.Update(ctx, found)
}

func updated(ctx context.Context, c client.Client, settings map[string]string) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "settings"}}
	_, err := controllerutil.CreateOrUpdate(ctx, c, job, func() error {
		container := builders.Container(settings) // want `^load: Container\.Env changes each time`
		job.Spec.Template.Spec.Containers = []corev1.Container{container}
		return nil
	})
	return err
}

// What is only created is the same as long as it lives.
func created(ctx context.Context, c client.Client, settings map[string]string) error {
	return c.Create(ctx, builders.Once(settings))
}

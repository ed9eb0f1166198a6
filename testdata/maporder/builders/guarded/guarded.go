// Package guarded writes what another package puts together, if a third one finds it changed.
package guarded

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/maporder/builders"
	"github.com/opvet/opvet/testdata/maporder/builders/comparing"
)

func updated(ctx context.Context, c client.Client, settings map[string]string) error {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "settings"}}
	_, err := controllerutil.CreateOrUpdate(ctx, c, job, func() error {
		container := builders.Container(settings)
		if stored := job.Spec.Template.Spec.Containers; len(stored) == 0 || !comparing.SameContainer(stored[0], container) {
			job.Spec.Template.Spec.Containers = []corev1.Container{container}
		}
		return nil
	})
	return err
}

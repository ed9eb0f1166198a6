package right

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The helper does more with what it is handed, or the function sets all.

func (r *reconciler) upsertSpec(ctx context.Context, config *corev1.ConfigMap, mutate controllerutil.MutateFn) error {
	data := config.Data
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Data = data
		return mutate()
	})
	return err
}

func (r *reconciler) helperSets(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	}
	return r.upsertSpec(ctx, config, func() error {
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
}

func (r *reconciler) upsert(ctx context.Context, obj client.Object, mutate controllerutil.MutateFn) (controllerutil.OperationResult, error) {
	return controllerutil.CreateOrUpdate(ctx, r.Client, obj, mutate)
}

func (r *reconciler) functionSets(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := r.upsert(ctx, config, func() error {
		config.Data = map[string]string{"source": backup.Spec.Source}
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

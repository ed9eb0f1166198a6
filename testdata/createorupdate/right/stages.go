package right

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// stager makes things at one stage of a backup's life, or changes them otherwise.
type stager struct{ client.Client }

func (s *stager) config(backup *v1.Backup) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	}
}

func (s *stager) atFirst(ctx context.Context, backup *v1.Backup) error {
	switch backup.Status.Phase {
	case v1.BackupPending:
		_, err := controllerutil.CreateOrUpdate(ctx, s.Client, s.config(backup), func() error { return nil })
		return err
	case v1.BackupRunning:
		return s.watch(ctx, backup)
	}
	return nil
}

func (s *stager) watch(ctx context.Context, backup *v1.Backup) error {
	return s.Get(ctx, client.ObjectKeyFromObject(backup), backup)
}

func (s *stager) unlessStarted(ctx context.Context, backup *v1.Backup) error {
	if backup.Status.StartTime == nil {
		return s.begin(ctx, backup)
	}
	return nil
}

func (s *stager) begin(ctx context.Context, backup *v1.Backup) error {
	_, err := controllerutil.CreateOrUpdate(ctx, s.Client, s.config(backup), func() error { return nil })
	return err
}

// It is made here, and brought up to date below.
func (s *stager) madeAndScaled(ctx context.Context, backup *v1.Backup) error {
	workload := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	workload.Spec.Replicas = backup.Spec.Replicas
	if _, err := controllerutil.CreateOrUpdate(ctx, s.Client, workload, func() error { return nil }); err != nil {
		return err
	}
	return s.scale(ctx, workload, backup.Spec.Replicas)
}

func (s *stager) scale(ctx context.Context, workload *appsv1.Deployment, replicas *int32) error {
	workload.Spec.Replicas = replicas
	return s.Update(ctx, workload)
}

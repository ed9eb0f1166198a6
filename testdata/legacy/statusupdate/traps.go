package statusupdate

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
	"github.com/opvet/opvet/testdata/legacy/statusupdate/helpers"
)

func (r *reconciler) updateThenStatus(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status.Phase = "Running"
	return r.Status().Update(ctx, b)
}

func (r *reconciler) statusThenFinalizer(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = "Done"
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) savedAndRestored(ctx context.Context, b *v1.Backup) error {
	b.SetCondition(metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Done"})
	status := b.Status.DeepCopy()
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status = *status
	return r.Status().Update(ctx, b)
}

func (r *reconciler) withoutSubresource(ctx context.Context, s *v1.Schedule) error {
	s.Status.Phase = "Enabled"
	return r.Update(ctx, s)
}

func (r *reconciler) withoutSubresourcePatched(ctx context.Context, s *v1.Schedule) error {
	base := s.DeepCopy()
	s.Status.Phase = "Enabled"
	return r.Patch(ctx, s, client.MergeFrom(base))
}

func (r *reconciler) createOrPatch(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, b, func() error {
		b.Status.Phase = "Pending"
		return nil
	})
	return err
}

func (r *reconciler) fallbackOnNotFound(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = "Done"
	err := r.Status().Update(ctx, b)
	if apierrors.IsNotFound(err) {
		err = r.Update(ctx, b)
	}
	return err
}

func (r *reconciler) writerInAnotherPackage(ctx context.Context, b *v1.Backup) error {
	helpers.SetPhase(b, "Running")
	return helpers.UpdateStatus(ctx, r.Client, b)
}

func (r *reconciler) blankedSpec(ctx context.Context, b *v1.Backup, status v1.BackupStatus) error {
	sent := b.DeepCopy()
	sent.Spec = v1.BackupSpec{}
	sent.Status = status
	return r.Status().Update(ctx, sent)
}

func (c *controller) typedStatus(ctx context.Context, cached *corev1.Pod) error {
	pod := cached.DeepCopy()
	pod.Status.Phase = corev1.PodFailed
	_, err := c.core.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

func (c *controller) statusWithoutContext(cached *v1.Backup) (err error) {
	b := cached.DeepCopy()
	defer func() {
		if reflect.DeepEqual(cached.Status, b.Status) {
			return
		}
		_, err = c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(b)
	}()
	b.Status.Phase = "Running"
	return nil
}

func (c *controller) statusPatchWithoutContext(namespace, name string) error {
	_, err := c.example.ExampleV1().Backups(namespace).Patch(name, types.MergePatchType, []byte(`{"status":{"phase":"Done"}}`), "status")
	return err
}

func (c *controller) bothEndpointsWithoutContext(cached *v1.Backup) error {
	backups := c.example.ExampleV1().Backups(cached.Namespace)
	b := cached.DeepCopy()
	b.Status.Phase = "Done"
	b, err := backups.UpdateStatus(b)
	if err != nil {
		return err
	}
	b.Finalizers = nil
	_, err = backups.Update(b)
	return err
}

func (c *controller) statusGoesBack(cached *v1.Backup) error {
	b := cached.DeepCopy()
	status := b.Status.DeepCopy()
	status.Phase = "Running"
	b.Status = *status
	_, err := c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(b)
	return err
}

package lost

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What CreateOrUpdate writes is the object that it was handed, whatever the variable has by then.

func (r *reconciler) replaced(ctx context.Context, backup *v1.Backup) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error { // want `what is made for the Deployment is never stored: it only goes into a variable, and CreateOrUpdate writes what it was handed; set its fields \(createorupdate/noop-mutate\)`
		deployment = newDeployment(backup)
		return controllerutil.SetControllerReference(backup, deployment, r.Scheme())
	})
	return err
}

func (r *reconciler) replacedByCopy(ctx context.Context, backup *v1.Backup, template *corev1.Service) error {
	service := &corev1.Service{}
	service.Name, service.Namespace = backup.Name, backup.Namespace
	_, err := controllerutil.CreateOrPatch(ctx, r.Client, service, func() error { // want `what is made for the Service is never stored: .*CreateOrPatch writes`
		service = template.DeepCopy()
		service.Name = backup.Name
		return nil
	})
	return err
}

// It was made before, for another variable.
func (r *reconciler) replacedByDesired(ctx context.Context, backup *v1.Backup) error {
	desired := newDeployment(backup)
	found := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: desired.Name, Namespace: desired.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, found, func() error { // want `what is made for the Deployment is never stored`
		found = desired
		return nil
	})
	return err
}

// The helper makes one of its own.
func (r *reconciler) ignored(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { // want `what is made for the ConfigMap is never stored`
		return r.fill(config, backup)
	})
	return err
}

func (r *reconciler) fill(config *corev1.ConfigMap, backup *v1.Backup) error {
	config = &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	}
	return controllerutil.SetControllerReference(backup, config, r.Scheme())
}

// It is tried again on conflict.
func (r *reconciler) triedAgain(ctx context.Context, backup *v1.Backup) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error { // want `what is made for the Deployment is never stored`
			deployment = newDeployment(backup)
			return nil
		})
		return err
	})
}

package lost

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/createorupdate/lib"
)

// Helpers are handed the object and the function.

func (r *reconciler) upsert(ctx context.Context, obj client.Object, mutate controllerutil.MutateFn) (controllerutil.OperationResult, error) {
	return controllerutil.CreateOrUpdate(ctx, r.Client, obj, mutate)
}

func (r *reconciler) byAHelper(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	}
	_, err := r.upsert(ctx, config, func() error { // want `changes of data never reach the ConfigMap: the Get of CreateOrUpdate overwrites`
		return controllerutil.SetControllerReference(backup, config, r.Scheme())
	})
	return err
}

func (r *reconciler) byAHelperElsewhere(ctx context.Context, backup *v1.Backup) error {
	deployment := newDeployment(backup)
	_, err := lib.Upsert(ctx, r.Client, deployment, func() error { // want `changes of spec never reach the Deployment: the Get of CreateOrUpdate overwrites`
		return controllerutil.SetControllerReference(backup, deployment, r.Scheme())
	})
	return err
}

// Stage is a part of a reconcile, which the package of the controller runs again and again.
type Stage struct{ client.Client }

// ReconcileConfig is called by the Reconcile of the controller.
func (s *Stage) ReconcileConfig(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	}
	_, err := controllerutil.CreateOrUpdate(ctx, s.Client, config, func() error { return nil }) // want `^hygiene: the first version of the ConfigMap stays forever`
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, s.service(ctx, backup)
}

func (s *Stage) service(ctx context.Context, backup *v1.Backup) error {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	service.Spec.ExternalName = backup.Spec.Source
	_, err := controllerutil.CreateOrUpdate(ctx, s.Client, service, func() error { return nil }) // want `^hygiene: the first version of the Service stays forever`
	return err
}

// The function itself is kept in a field.
type kept struct {
	client.Client
	upsert func(context.Context, client.Client, client.Object, controllerutil.MutateFn) (controllerutil.OperationResult, error)
}

func newKept(c client.Client) *kept { return &kept{c, controllerutil.CreateOrUpdate} }

func (k *kept) keep(ctx context.Context, backup *v1.Backup) error {
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	}
	_, err := k.upsert(ctx, k.Client, config, func() error { return nil }) // want `the first version of the ConfigMap stays forever: the Get of CreateOrUpdate overwrites`
	return err
}

// What has no function is told once, in the helper.
func (r *reconciler) ensureConfig(ctx context.Context, config *corev1.ConfigMap) (controllerutil.OperationResult, error) {
	return controllerutil.CreateOrUpdate(ctx, r.Client, config, nil) // want `the first version of the ConfigMap stays forever`
}

func (r *reconciler) withoutFunction(ctx context.Context, backup *v1.Backup) error {
	_, err := r.ensureConfig(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Data:       map[string]string{"source": backup.Spec.Source},
	})
	return err
}

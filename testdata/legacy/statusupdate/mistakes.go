// Package statusupdate has the cases against client libraries from before
// generics: controller-runtime v0.14, client-go v0.26, and clientsets of the
// time when their methods took no context.
package statusupdate

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	exampleclient "github.com/opvet/opvet/testdata/legacy/api/client"
	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
	"github.com/opvet/opvet/testdata/legacy/statusupdate/helpers"
)

type reconciler struct {
	client.Client
}

type controller struct {
	core    kubernetes.Interface
	example exampleclient.Interface
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var b v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	b.Status.Phase = "Running"
	return ctrl.Result{}, r.Update(ctx, &b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) condition(ctx context.Context, b *v1.Backup) error {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Done"})
	return r.Client.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) helper(ctx context.Context, b *v1.Backup) error {
	helpers.SetPhase(b, "Running")
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) patch(ctx context.Context, b *v1.Backup) error {
	base := b.DeepCopy()
	b.Status.Phase = "Running"
	return r.Patch(ctx, b, client.MergeFrom(base)) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) createOrUpdate(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error { // want `dropped.*\(statusupdate/dropped-by-update\)`
		b.Status.Phase = "Pending"
		return nil
	})
	return err
}

func (c *controller) typed(ctx context.Context, namespace, name string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		pod, err := c.core.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		pod.Status.Phase = corev1.PodFailed
		_, err = c.core.CoreV1().Pods(namespace).Update(ctx, pod, metav1.UpdateOptions{}) // want `dropped.*\(statusupdate/dropped-by-update\)`
		return err
	})
}

func (c *controller) typedWithoutContext(cached *v1.Backup) error {
	b := cached.DeepCopy()
	b.Status.Phase = "Running"
	_, err := c.example.ExampleV1().Backups(b.Namespace).Update(b) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

func (c *controller) createdWithoutContext(namespace string) error {
	b := &v1.Backup{Status: v1.BackupStatus{Phase: "New"}}
	_, err := c.example.ExampleV1().Backups(namespace).Create(b) // want `dropped.*\(statusupdate/dropped-by-update\)`
	return err
}

func (r *reconciler) lost(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = "Running"
	controllerutil.AddFinalizer(b, v1.Finalizer)
	if err := r.Update(ctx, b); err != nil { // want `\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) finalizer(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	b.Status.Phase = "Done"
	return r.Status().Update(ctx, b) // want `finalizers.*\(statusupdate/metadata-dropped\)`
}

func (c *controller) finalizerWithoutContext(cached *v1.Backup) error {
	b := cached.DeepCopy()
	b.Finalizers = append(b.Finalizers, v1.Finalizer)
	_, err := c.example.ExampleV1().Backups(b.Namespace).UpdateStatus(b) // want `finalizers.*\(statusupdate/metadata-dropped\)`
	return err
}

func (r *reconciler) configMap(ctx context.Context, cm *corev1.ConfigMap) error {
	return r.Status().Update(ctx, cm) // want `ConfigMap.*\(statusupdate/no-subresource\)`
}

func (r *reconciler) statusCopied(ctx context.Context, b *v1.Backup) error {
	status := b.Status.DeepCopy() // want `\(statusupdate/copy-not-written\)`
	status.Phase = "Running"
	return r.Status().Update(ctx, b)
}

func (c *controller) neverStored(namespace, name string) error {
	b, err := c.example.ExampleV1().Backups(namespace).Get(name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	b.Status.Phase = "Running" // want `\(statusupdate/never-persisted\)`
	return nil
}

func (r *reconciler) patchOfItself(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = "Running"
	return r.Status().Patch(ctx, b, client.MergeFrom(b.DeepCopy())) // want `loss: .*\(statusupdate/not-in-patch\)`
}

// Package helpers is what the cases call from another package: it changes and
// writes objects on behalf of its callers. Nothing in it is wrong by itself.
package helpers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Ready is the condition that most cases set.
func Ready(reason string) metav1.Condition {
	return metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: reason}
}

// SetReady changes the status in memory.
func SetReady(b *v1.Backup) {
	b.Status.Phase = v1.BackupCompleted
	meta.SetStatusCondition(&b.Status.Conditions, Ready("Done"))
}

// MarkStatus changes a status that may belong to an object, or be a copy.
func MarkStatus(status *v1.BackupStatus, phase v1.BackupPhase) {
	status.Phase = phase
}

// SetIngress changes the status of a Service in memory.
func SetIngress(svc *corev1.Service, ip string) bool {
	for _, ingress := range svc.Status.LoadBalancer.Ingress {
		if ingress.IP == ip {
			return false
		}
	}
	svc.Status.LoadBalancer.Ingress = append(svc.Status.LoadBalancer.Ingress, corev1.LoadBalancerIngress{IP: ip})
	return true
}

// SetOwner changes the labels in memory.
func SetOwner(obj client.Object, owner string) {
	labels := obj.GetLabels()
	if labels == nil {
		labels = make(map[string]string)
	}
	labels["example.opvet.dev/owner"] = owner
	obj.SetLabels(labels)
}

// Save stores everything but the status.
func Save(ctx context.Context, c client.Client, obj client.Object) error {
	return c.Update(ctx, obj)
}

// UpdateStatus stores the status.
func UpdateStatus(ctx context.Context, c client.Client, obj client.Object) error {
	return c.Status().Update(ctx, obj)
}

// SaveAll stores everything: the main endpoint gets a copy, so that the
// server's answer does not overwrite the status in memory.
func SaveAll(ctx context.Context, c client.Client, obj client.Object) error {
	sent := obj.DeepCopyObject().(client.Object)
	if err := c.Update(ctx, sent); err != nil {
		return err
	}
	obj.SetResourceVersion(sent.GetResourceVersion())
	return c.Status().Update(ctx, obj)
}

// StoreStatus stores a status on the newest version of an object.
func StoreStatus(ctx context.Context, c client.Client, key client.ObjectKey, status v1.BackupStatus) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var latest v1.Backup
		if err := c.Get(ctx, key, &latest); err != nil {
			return err
		}
		latest.Status = status
		return c.Status().Update(ctx, &latest)
	})
}

// EnsureFinalizer adds the finalizer and stores it, which overwrites obj with
// the server's answer.
func EnsureFinalizer(ctx context.Context, c client.Client, obj client.Object) error {
	if !controllerutil.AddFinalizer(obj, v1.Finalizer) {
		return nil
	}
	return c.Update(ctx, obj)
}

// PatchReady stores a condition, and nothing that was set before.
func PatchReady(ctx context.Context, c client.Client, b *v1.Backup, reason string) error {
	base := b.DeepCopy()
	b.SetCondition(Ready(reason))
	return c.Status().Patch(ctx, b, client.MergeFrom(base))
}

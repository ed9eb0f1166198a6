// Package nosubresource has the cases of statusupdate/no-subresource: the API
// server has no status endpoint for these kinds and answers NotFound.
package nosubresource

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) configMap(ctx context.Context, cm *corev1.ConfigMap) error {
	cm.Data["phase"] = "Running"
	return r.Status().Update(ctx, cm) // want `ConfigMap.*\(statusupdate/no-subresource\)`
}

func (r *reconciler) lease(ctx context.Context, lease *coordinationv1.Lease) error {
	base := lease.DeepCopy()
	lease.Spec.HolderIdentity = nil
	return r.Client.Status().Patch(ctx, lease, client.MergeFrom(base)) // want `Lease.*\(statusupdate/no-subresource\)`
}

// A kind of our own that has no status at all.
func (r *reconciler) kindWithoutStatus(ctx context.Context, s *v1.Settings) error {
	s.Spec.Verbose = true
	return r.Status().Update(ctx, s) // want `Settings.*\(statusupdate/no-subresource\)`
}

func (r *reconciler) subresourceByName(ctx context.Context, secret *corev1.Secret) error {
	return r.SubResource("status").Update(ctx, secret) // want `Secret.*\(statusupdate/no-subresource\)`
}

func (r *reconciler) throughAHelper(ctx context.Context, account *corev1.ServiceAccount) error {
	return helpers.UpdateStatus(ctx, r.Client, account) // want `ServiceAccount.*\(statusupdate/no-subresource\)`
}

func storeStatus[T client.Object](ctx context.Context, c client.Client, obj T) error {
	return c.Status().Update(ctx, obj)
}

func (r *reconciler) throughAGenericHelper(ctx context.Context, cm *corev1.ConfigMap) error {
	return storeStatus(ctx, r.Client, cm) // want `ConfigMap.*\(statusupdate/no-subresource\)`
}

func (r *reconciler) retried(ctx context.Context, cm *corev1.ConfigMap) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return r.Status().Update(ctx, cm) // want `ConfigMap.*\(statusupdate/no-subresource\)`
	})
}

// Traps.

func (r *reconciler) builtinWithStatus(ctx context.Context, d *appsv1.Deployment) error {
	d.Status.ObservedGeneration = d.Generation
	return r.Status().Update(ctx, d)
}

func (r *reconciler) ownKindWithStatus(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return storeStatus(ctx, r.Client, b)
}

func (r *reconciler) markersApartFromTheDocumentation(ctx context.Context, c *v1.Cluster) error {
	c.Status = &v1.ClusterStatus{Ready: true}
	return r.Status().Update(ctx, c)
}

func (r *reconciler) unknownKind(ctx context.Context, obj client.Object) error {
	return r.Status().Update(ctx, obj)
}

func (r *reconciler) unstructuredKind(ctx context.Context, u *unstructured.Unstructured) error {
	return r.Status().Update(ctx, u)
}

func (r *reconciler) anotherSubresource(ctx context.Context, account *corev1.ServiceAccount, d *appsv1.Deployment) error {
	if err := r.SubResource("token").Create(ctx, account, d); err != nil {
		return err
	}
	return r.SubResource("scale").Update(ctx, d)
}

// display has a Status method, too, but talks to no API server.
type display struct{}

func (display) Status() display { return display{} }

func (display) Update(context.Context, *corev1.ConfigMap) error { return nil }

func (r *reconciler) noClient(ctx context.Context, d display, cm *corev1.ConfigMap) error {
	return d.Status().Update(ctx, cm)
}

// One pass for kinds with a status, another for those without.
func (r *reconciler) kindDecides(ctx context.Context, obj client.Object) error {
	switch obj := obj.(type) {
	case *corev1.ConfigMap:
		return r.Update(ctx, obj)
	default:
		return r.Status().Update(ctx, obj)
	}
}

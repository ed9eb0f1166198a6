// Package owned ignores the failures of deletions, of what the garbage collector takes and of what it does not.
package owned

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// jobs is a queue in memory, whose functions fail if there is no such job.
type jobs interface{ DeleteJob(key string) error }

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
	jobs   jobs
}

func (r *reconciler) ensure(ctx context.Context, b *v1.Backup) error {
	controllerutil.AddFinalizer(b, v1.Finalizer)
	service := &corev1.Service{}
	if err := controllerutil.SetControllerReference(b, service, r.scheme); err != nil {
		return err
	}
	if err := r.Create(ctx, service); err != nil {
		return err
	}
	return r.Update(ctx, b)
}

func (r *reconciler) release(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// The mistakes: what is deleted has no owner.

func (r *reconciler) clusterRole(ctx context.Context, b *v1.Backup) error {
	role := &rbacv1.ClusterRole{}
	role.Name = b.Name
	if err := r.Delete(ctx, role); client.IgnoreNotFound(err) != nil { // want `leak: Delete's error is ignored and line \d+ removes the finalizer: if it fails, the ClusterRole leaks`
		log.FromContext(ctx).Error(err, "Deleting the role")
	}
	return r.release(ctx, b)
}

func (r *reconciler) claim(ctx context.Context, b *v1.Backup, claim *corev1.PersistentVolumeClaim) error {
	if err := r.Delete(ctx, claim); client.IgnoreNotFound(err) != nil { // want `leak: Delete's error is ignored`
		log.FromContext(ctx).Error(err, "Deleting the claim")
	}
	return r.release(ctx, b)
}

// secret has no owner in this package, unlike the service.
func (r *reconciler) secret(ctx context.Context, b *v1.Backup) error {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = "operators", b.Name
	if err := r.Delete(ctx, secret); client.IgnoreNotFound(err) != nil { // want `leak: Delete's error is ignored`
		log.FromContext(ctx).Error(err, "Deleting the secret")
	}
	return r.release(ctx, b)
}

// The traps.

// service goes with its owner.
func (r *reconciler) service(ctx context.Context, b *v1.Backup) error {
	service := &corev1.Service{}
	service.Namespace, service.Name = b.Namespace, b.Name
	if err := r.Delete(ctx, service); client.IgnoreNotFound(err) != nil { // want `hygiene: Delete's error is ignored`
		log.FromContext(ctx).Error(err, "Deleting the service")
	}
	return r.release(ctx, b)
}

func (r *reconciler) deleteService(ctx context.Context, name string) error {
	service := &corev1.Service{}
	service.Name = name
	return client.IgnoreNotFound(r.Delete(ctx, service))
}

func (r *reconciler) byHelper(ctx context.Context, b *v1.Backup) error {
	_ = r.deleteService(ctx, b.Name) // want `hygiene: deleteService's error is ignored`
	return r.release(ctx, b)
}

// inMemory has nothing that could be left behind.
func (r *reconciler) inMemory(ctx context.Context, b *v1.Backup) error {
	_ = r.jobs.DeleteJob(b.Name) // want `hygiene: DeleteJob's error is ignored`
	return r.release(ctx, b)
}

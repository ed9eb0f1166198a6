package right

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/createorupdate/lib"
)

func specified(backup *v1.Backup) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Spec:       appsv1.DeploymentSpec{Replicas: backup.Spec.Replicas},
	}
}

// The helper keeps what it is handed, and sets it again.
func (r *reconciler) filledElsewhere(ctx context.Context, backup *v1.Backup) error {
	return lib.Filled(ctx, r.Client, specified(backup))
}

// The helper sets it.
func (r *reconciler) scaledElsewhere(ctx context.Context, backup *v1.Backup) error {
	return lib.Scaled(ctx, r.Client, specified(backup), backup.Spec.Replicas)
}

// Nothing but the name is set before.
func (r *reconciler) namedElsewhere(ctx context.Context, backup *v1.Backup) error {
	return lib.Owned(ctx, r.Client, backup, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}})
}

// The helper does so only if it is asked to.
func (r *reconciler) keptElsewhere(ctx context.Context, backup *v1.Backup, missing bool) error {
	return lib.Kept(ctx, r.Client, specified(backup), missing)
}

// It is not there yet.
func (r *reconciler) missingElsewhere(ctx context.Context, backup *v1.Backup) error {
	err := r.Get(ctx, client.ObjectKeyFromObject(backup), &appsv1.Deployment{})
	if apierrors.IsNotFound(err) {
		return lib.Owned(ctx, r.Client, backup, specified(backup))
	}
	return err
}

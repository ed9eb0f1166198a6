package lost

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/createorupdate/lib"
)

// A helper of another package hands it to CreateOrUpdate.
func (r *reconciler) owned(ctx context.Context, backup *v1.Backup) error {
	deployment := newDeployment(backup)
	return lib.Owned(ctx, r.Client, backup, deployment) // want `changes of spec never reach the Deployment: the Get of CreateOrUpdate overwrites what was set before; set it in the function \(createorupdate/set-outside\)`
}

func (r *reconciler) scaled(ctx context.Context, backup *v1.Backup) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
	deployment.Spec.Paused = backup.Spec.Paused
	return lib.Scaled(ctx, r.Client, deployment, backup.Spec.Replicas) // want `changes of spec.paused never reach the Deployment: the Get of CreateOrUpdate overwrites`
}

func (r *reconciler) ownedByAnother(ctx context.Context, backup *v1.Backup, owner lib.Owner) error {
	return owner.Own(ctx, newDeployment(backup)) // want `the first version of the Deployment stays forever: the Get of CreateOrUpdate overwrites what was set before`
}

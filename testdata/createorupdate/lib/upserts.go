package lib

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Owned sets the owner, and leaves the rest to who calls it.
func Owned(ctx context.Context, c client.Client, owner *v1.Backup, deployment *appsv1.Deployment) error {
	_, err := controllerutil.CreateOrUpdate(ctx, c, deployment, func() error {
		return controllerutil.SetControllerReference(owner, deployment, c.Scheme())
	})
	return err
}

// Scaled sets the number of replicas.
func Scaled(ctx context.Context, c client.Client, deployment *appsv1.Deployment, replicas *int32) error {
	_, err := controllerutil.CreateOrUpdate(ctx, c, deployment, func() error {
		deployment.Spec.Replicas = replicas
		return nil
	})
	return err
}

// Filled sets the specification that it is handed.
func Filled(ctx context.Context, c client.Client, deployment *appsv1.Deployment) error {
	spec := deployment.Spec
	_, err := controllerutil.CreateOrUpdate(ctx, c, deployment, func() error {
		deployment.Spec = spec
		return nil
	})
	return err
}

// Kept is what Owned does, if it is asked to.
func Kept(ctx context.Context, c client.Client, deployment *appsv1.Deployment, missing bool) error {
	if !missing {
		return nil
	}
	_, err := controllerutil.CreateOrUpdate(ctx, c, deployment, func() error { return nil })
	return err
}

// Owner does what Owned does, behind an interface.
type Owner interface {
	Own(ctx context.Context, deployment *appsv1.Deployment) error
}

type owner struct{ c client.Client }

func (o owner) Own(ctx context.Context, deployment *appsv1.Deployment) error {
	_, err := controllerutil.CreateOrUpdate(ctx, o.c, deployment, func() error { return nil })
	return err
}

// NewOwner returns one.
func NewOwner(c client.Client) Owner { return owner{c} }

// Upsert is CreateOrUpdate under another name.
func Upsert(ctx context.Context, c client.Client, obj client.Object, mutate controllerutil.MutateFn) (controllerutil.OperationResult, error) {
	return controllerutil.CreateOrUpdate(ctx, c, obj, mutate)
}

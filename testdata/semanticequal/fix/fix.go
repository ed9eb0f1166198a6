// Package fix has comparisons that are mended by a fix.
package fix

import (
	"context"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func sync(ctx context.Context, c client.Client, key client.ObjectKey) error {
	found := &appsv1.Deployment{}
	if err := c.Get(ctx, key, found); err != nil {
		return err
	}
	want := wanted()
	if !reflect.DeepEqual(found.Spec.Template.Spec.Containers, want.Spec.Template.Spec.Containers) { // want `equal quantities are written again each round`
		return c.Update(ctx, want)
	}
	return nil
}

func wanted() *appsv1.Deployment {
	dep := &appsv1.Deployment{}
	dep.Spec.Template.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000m")},
	}}}
	return dep
}

func unchanged(a, b []string) bool {
	return reflect.DeepEqual(a, b) && apiequality.Semantic.DeepEqual(a, b)
}

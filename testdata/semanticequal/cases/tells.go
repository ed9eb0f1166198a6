package cases

import (
	"context"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The wrong answer takes back what was found before.
func (r *reconciler) takesBack(ctx context.Context, key client.ObjectKey, wanted *corev1.ResourceRequirements) error {
	found := &appsv1.StatefulSet{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	changed := *found.Spec.Replicas != 1
	if !reflect.DeepEqual(found.Spec.Template.Spec.Containers[0].Resources, wanted) { // want `load: this is never equal.*semanticequal/other-type`
		changed = false
	}
	if changed {
		return r.Update(ctx, found)
	}
	return nil
}

// The wrong answer sets what is so anyhow.
func (r *reconciler) saysNothing(ctx context.Context, key client.ObjectKey, wanted *corev1.ResourceRequirements) error {
	found := &appsv1.StatefulSet{}
	if err := r.Get(ctx, key, found); err != nil {
		return err
	}
	changed := false
	if !reflect.DeepEqual(found.Spec.Template.Spec.Containers[0].Resources, wanted) { // want `hygiene: this is never equal.*semanticequal/other-type`
		changed = false
	}
	if changed {
		return r.Update(ctx, found)
	}
	return nil
}

// Right: pointers are compared to save the rest.
func sameOptionalSize(a, b *resource.Quantity) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	return a.Value() == b.Value()
}

// Package lib has predicates and helpers of an operator.
package lib

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// SpecChanged lets updates through that change the generation.
func SpecChanged() predicate.Predicate { return predicate.GenerationChangedPredicate{} }

// AnyChange lets all updates through.
var AnyChange = predicate.ResourceVersionChangedPredicate{}

// OnlySpec compares by hand, and lets nothing else through.
type OnlySpec struct{ predicate.Funcs }

// Update compares the specs.
func (OnlySpec) Update(e event.UpdateEvent) bool {
	before, ok := e.ObjectOld.(*v1.Backup)
	if !ok {
		return false
	}
	after, ok := e.ObjectNew.(*v1.Backup)
	if !ok {
		return false
	}
	return !equality.Semantic.DeepEqual(before.Spec, after.Spec)
}

// Available reports whether a workload is ready.
func Available(d *appsv1.Deployment) bool { return d.Status.AvailableReplicas > 0 }

// Save writes an object.
func Save(ctx context.Context, c client.Client, object client.Object) error {
	return c.Update(ctx, object)
}

// Password reads a secret.
func Password(ctx context.Context, c client.Client, key client.ObjectKey) (string, error) {
	secret := new(corev1.Secret)
	if err := c.Get(ctx, key, secret); err != nil {
		return "", err
	}
	return string(secret.Data["password"]), nil
}

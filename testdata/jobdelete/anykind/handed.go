package anykind

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Whoever calls the helper deals with Jobs.
func (a *Applier) AsksBefore(ctx context.Context, object *unstructured.Unstructured) error {
	if object.GetKind() == "Job" {
		return a.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationForeground))
	}
	return a.others(ctx, object)
}

func (a *Applier) others(ctx context.Context, object *unstructured.Unstructured) error {
	return a.Delete(ctx, object)
}

// AsksForAnother deals with other kinds.
func (a *Applier) AsksForAnother(ctx context.Context, object *unstructured.Unstructured) error {
	if object.GetKind() == "Pod" {
		return nil
	}
	return a.all(ctx, object)
}

func (a *Applier) all(ctx context.Context, object *unstructured.Unstructured) error {
	return a.Delete(ctx, object) // want `if what is deleted is a Job its pods stay`
}

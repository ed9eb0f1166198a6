// Package anykind deletes objects of which only callers know the kind.
package anykind

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type Applier struct {
	client.Client
	dynamic dynamic.Interface
	mapper  meta.RESTMapper
}

func (a *Applier) Remove(ctx context.Context, object *unstructured.Unstructured) error {
	return a.Delete(ctx, object) // want `hygiene: if what is deleted is a Job its pods stay, where those of all other kinds go; set the propagation policy to Background \(jobdelete/orphaned-pods\)`
}

// A copy that the API server fills.
func (a *Applier) Replace(ctx context.Context, object *unstructured.Unstructured) error {
	existing := object.DeepCopy()
	if err := a.Get(ctx, client.ObjectKeyFromObject(object), existing); err != nil {
		return err
	}
	if err := a.Delete(ctx, existing); err != nil { // want `hygiene: if what is deleted is a Job its pods stay`
		return err
	}
	return a.Create(ctx, object)
}

// Elements of a list.
func (a *Applier) Prune(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if err := a.Delete(ctx, object, client.GracePeriodSeconds(0)); err != nil { // want `hygiene: if what is deleted is a Job its pods stay`
			return err
		}
	}
	return nil
}

// A dynamic client, and the resource that a mapper knows.
func (a *Applier) Drop(ctx context.Context, object *unstructured.Unstructured) error {
	mapping, err := a.mapper.RESTMapping(object.GroupVersionKind().GroupKind())
	if err != nil {
		return err
	}
	return a.dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()).Delete(ctx, object.GetName(), metav1.DeleteOptions{}) // want `hygiene: if what is deleted is a Job its pods stay`
}

func (a *Applier) DropAt(ctx context.Context, resource schema.GroupVersionResource, ns, name string) error {
	return a.dynamic.Resource(resource).Namespace(ns).Delete(ctx, name, metav1.DeleteOptions{}) // want `hygiene: if what is deleted is a Job its pods stay`
}

// It calls itself, and is called with what lists are put together of.
func (a *Applier) Apply(ctx context.Context, object *unstructured.Unstructured, again bool) error {
	existing := object.DeepCopy()
	if err := a.Get(ctx, client.ObjectKeyFromObject(object), existing); err != nil && again {
		if err := a.Delete(ctx, existing); err != nil { // want `hygiene: if what is deleted is a Job its pods stay`
			return err
		}
		return a.Apply(ctx, object, false)
	}
	return nil
}

func (a *Applier) ApplyAll(ctx context.Context, objects []*unstructured.Unstructured) error {
	var first, second []*unstructured.Unstructured
	for _, object := range objects {
		if object.GetNamespace() == "" {
			first = append(first, object)
		} else {
			second = append(second, object)
		}
	}
	for _, object := range append(first, second...) {
		if err := a.Apply(ctx, object, true); err != nil {
			return err
		}
	}
	return nil
}

// Traps: a policy is set.
func (a *Applier) Background(ctx context.Context, object *unstructured.Unstructured) error {
	return a.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground))
}

func (a *Applier) Options(ctx context.Context, object *unstructured.Unstructured, options ...client.DeleteOption) error {
	return a.Delete(ctx, object, options...)
}

// Jobs are dealt with.
func (a *Applier) Asks(ctx context.Context, object *unstructured.Unstructured) error {
	if object.GetKind() == "Job" {
		return a.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationForeground))
	}
	return a.Delete(ctx, object)
}

// The kind is known.
func (a *Applier) policy(ctx context.Context, ns, name string) error {
	policy := &unstructured.Unstructured{}
	policy.SetAPIVersion("example.com/v1")
	policy.SetKind("Policy")
	policy.SetNamespace(ns)
	policy.SetName(name)
	return a.remove(ctx, policy)
}

// All callers are known, and none has another kind.
func (a *Applier) remove(ctx context.Context, object *unstructured.Unstructured) error {
	return a.Delete(ctx, object)
}

var policies = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "policies"}

func (a *Applier) byResource(ctx context.Context, ns, name string) error {
	return a.dynamic.Resource(policies).Namespace(ns).Delete(ctx, name, metav1.DeleteOptions{})
}

func (a *Applier) byLiteral(ctx context.Context, ns, name string) error {
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "policies"}
	return a.dynamic.Resource(resource).Namespace(ns).Delete(ctx, name, metav1.DeleteOptions{})
}

// What a list of one kind has.
func (a *Applier) listed(ctx context.Context) error {
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "PolicyList"})
	if err := a.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		if err := a.Delete(ctx, &list.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// A typed object of a kind that callers know.
func (a *Applier) typed(ctx context.Context, object client.Object) error {
	return a.Delete(ctx, object)
}

// Package elsewhere has another package read fields.
package elsewhere

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/opvet/opvet/testdata/unstructuredassert/elsewhere/fields"
)

func schedule(ctx context.Context, c dynamic.ResourceInterface, name string) (string, error) {
	u, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return "", nil
	}
	return fields.Schedule(spec), nil // want `hygiene: this panics on the first object without spec\.schedule: it is asserted unchecked \(fields/fields\.go:\d+\); use unstructured\.NestedString \(unstructuredassert/unchecked\)`
}

func status(ctx context.Context, c dynamic.ResourceInterface, name string) (map[string]any, error) {
	u, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return fields.Status(u), nil
}

// It is looked for here.
func checked(ctx context.Context, c dynamic.ResourceInterface, name string) (map[string]any, error) {
	u, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return nil, nil
	}
	if _, ok := spec["conditions"].([]any); !ok {
		return nil, nil
	}
	return map[string]any{"conditions": fields.Conditions(spec)}, nil
}

// It is looked for there.
func phase(ctx context.Context, c dynamic.ResourceInterface, name string) (string, error) {
	u, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return fields.Phase(u), nil
}

// It is set there.
func reset(ctx context.Context, c dynamic.ResourceInterface, name string) (map[string]any, error) {
	u, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	fields.Reset(u)
	return fields.Status(u), nil
}

// Or by a function that has it set there.
func resetBelow(ctx context.Context, c dynamic.ResourceInterface, name string) (map[string]any, error) {
	u, err := c.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	blank(u)
	return u.Object["status"].(map[string]any), nil
}

func blank(u *unstructured.Unstructured) { fields.Reset(u) }

// It is made here.
func made() map[string]any {
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{}}}
	return fields.Status(u)
}

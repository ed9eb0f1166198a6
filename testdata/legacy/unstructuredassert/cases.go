// Package unstructuredassert is of the time before generics.
package unstructuredassert

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func unchecked(ctx context.Context, c dynamic.ResourceInterface) (string, error) {
	u, err := c.Get(ctx, "a", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	status := u.Object["status"].(map[string]interface{}) // want `not every object has status`
	return status["phase"].(string), nil                  // want `not every object has status.phase`
}

func number(u *unstructured.Unstructured) (int, bool) {
	n, ok := u.UnstructuredContent()["count"].(int) // want `never holds`
	return n, ok
}

func ignored(u *unstructured.Unstructured) {
	m, _, _ := unstructured.NestedMap(u.Object, "data")
	m["a"] = "b" // want `the map is nil where data is missing`
}

func right(u *unstructured.Unstructured) string {
	phase, found, err := unstructured.NestedString(u.Object, "status", "phase")
	if err != nil || !found {
		return ""
	}
	return phase + u.Object["status"].(map[string]interface{})["phase"].(string)
}

// Package strict has what is reported with the strict flag only.
package strict

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

func spec(u *unstructured.Unstructured) map[string]any {
	return u.Object["spec"].(map[string]any) // want `this panics on the first object without spec: the assertion is unchecked; use unstructured\.NestedMap \(unstructuredassert/unchecked\)`
}

func anyField(u *unstructured.Unstructured, name string) string {
	return u.Object[name].(string) // want `this panics on the first object without \[…\]: the assertion is unchecked.*unstructuredassert/unchecked`
}

type holder struct{ u *unstructured.Unstructured }

func (h *holder) status() map[string]any {
	return h.u.Object["status"].(map[string]any) // want `this panics on the first object without status: the assertion is unchecked.*unstructuredassert/unchecked`
}

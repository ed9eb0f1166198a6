// Package strict has what is reported with the strict flag only.
package strict

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

func spec(u *unstructured.Unstructured) map[string]any {
	return u.Object["spec"].(map[string]any) // want `not every object has spec`
}

func anyField(u *unstructured.Unstructured, name string) string {
	return u.Object[name].(string) // want `not every object has \[…\]`
}

type holder struct{ u *unstructured.Unstructured }

func (h *holder) status() map[string]any {
	return h.u.Object["status"].(map[string]any) // want `not every object has status`
}

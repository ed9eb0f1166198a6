// Package fields reads and sets fields of content that others have.
package fields

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Schedule does not look whether there is one.
func Schedule(spec map[string]any) string { return spec["schedule"].(string) }

// Status does not look, either: that is told here, and not to each caller.
func Status(u *unstructured.Unstructured) map[string]any {
	return u.Object["status"].(map[string]any) // want `without status: the assertion is unchecked; .*\(unstructuredassert/unchecked\)`
}

// Conditions does not look.
func Conditions(content map[string]any) []any { return content["conditions"].([]any) }

// Phase looks.
func Phase(u *unstructured.Unstructured) string {
	status, ok := u.Object["status"].(map[string]any)
	if !ok {
		return ""
	}
	phase, _ := status["phase"].(string)
	return phase
}

// Reset sets the status.
func Reset(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{} }

package inventory

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Monitors reads and changes the monitors of another operator, whose types
// this one does not have.
type Monitors struct{}

// Ready tells whether the other operator has taken the monitor up.
func (Monitors) Ready(monitor *unstructured.Unstructured) bool {
	return monitor.Object["status"].(map[string]any)["ready"].(bool)
}

// Replicas is how many of it are to run.
func (Monitors) Replicas(monitor *unstructured.Unstructured) int {
	spec, ok := monitor.Object["spec"].(map[string]any)
	if !ok {
		return 0
	}
	if replicas, ok := spec["replicas"].(int); ok {
		return replicas
	}
	return 1
}

// Select has the monitor look at a cache.
func (Monitors) Select(monitor *unstructured.Unstructured, name string) error {
	selector, found, err := unstructured.NestedMap(monitor.Object, "spec", "selector", "matchLabels")
	if err != nil || !found {
		return err
	}
	selector["cache"] = name
	return unstructured.SetNestedMap(monitor.Object, selector, "spec", "selector", "matchLabels")
}

// Package markers has tests only: they compare how opvet reads
// +kubebuilder:rbac markers with how controller-gen does.
package markers

// Package rbac knows what Kubernetes' role-based access control is about: the
// resources that the API server has, rules that grant verbs on them, and where such rules
// are written: in kubebuilder's markers and in manifests.
package rbac

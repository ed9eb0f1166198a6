// Package apikinds has kinds with markers, and names kinds of others. Each
// says whether its status is a subresource (status, no status), its scope
// (cluster, namespaced) and whether this is read from markers; one that says
// nothing is not known.
package apikinds

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Marked has the markers in its documentation.
//
// want status, namespaced, markers
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Marked struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,path=aparts

// Apart has them before an empty line.
//
// want status, cluster, markers
type Apart struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Neighbour is not marked by what stands before the type above.
//
// want no status, namespaced, markers
//
// +kubebuilder:object:root=true
type Neighbour struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// want no status, cluster, markers
//
// +kubebuilder:resource:scope="Cluster"
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
type ScaleOnly struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

type (
	// want status, namespaced, markers
	//
	// +kubebuilder:subresource:status
	Grouped struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
	}

	Ungrouped struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
	}
)

// Old was made by client-gen alone: +kubebuilder:subresource:status in a
// sentence is no marker.
//
// want cluster
//
// +genclient
// +genclient:nonNamespaced
type Old struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

type Unmarked struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// Kinds of another package of the module.

// want status, namespaced, markers
type Backup = v1.Backup

// want status, cluster, markers
type Cluster = v1.Cluster

// want no status, namespaced, markers
type Schedule = v1.Schedule

// want no status, namespaced, markers
type Mirror = v1.Mirror

type Archive = v1.Archive

// Kinds that Kubernetes serves.

// want status, namespaced
type Pod = corev1.Pod

// want status, cluster
type Node = corev1.Node

// want no status, namespaced
type ConfigMap = corev1.ConfigMap

// want status, namespaced
type Deployment = appsv1.Deployment

// want no status, cluster
type ClusterRole = rbacv1.ClusterRole

// want no status, cluster
type Webhook = admissionv1.ValidatingWebhookConfiguration

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterSpec is what a user asks for.
type ClusterSpec struct {
	Version string `json:"version"`
	Paused  bool   `json:"paused,omitempty"`
}

// ClusterStatus is what the controller found.
type ClusterStatus struct {
	Ready      bool               `json:"ready,omitempty"`
	Version    string             `json:"version,omitempty"`
	Nodes      []string           `json:"nodes,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// The markers stand apart from the documentation, as many projects have them.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=clusters,scope=Cluster,shortName=cl
// +kubebuilder:subresource:status

// Cluster is cluster-scoped. Its status is a subresource and a pointer.
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ClusterSpec    `json:"spec,omitempty"`
	Status *ClusterStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// ClusterList is a list of clusters.
type ClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Cluster `json:"items"`
}

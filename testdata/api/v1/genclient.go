package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ArchiveSpec is what a user asks for.
type ArchiveSpec struct {
	Bucket string `json:"bucket"`
}

// ArchiveStatus is what the controller found.
type ArchiveStatus struct {
	Phase      string             `json:"phase,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Archive is older than kubebuilder: nothing on the type says whether its
// status is a subresource.
type Archive struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ArchiveSpec   `json:"spec,omitempty"`
	Status ArchiveStatus `json:"status,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ArchiveList is a list of archives.
type ArchiveList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Archive `json:"items"`
}

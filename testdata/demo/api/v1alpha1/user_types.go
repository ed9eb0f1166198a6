package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CacheUserSpec is the desired state of a CacheUser.
type CacheUserSpec struct {
	// Cache is the name of the Cache that the user may use.
	Cache string `json:"cache"`

	// SecretName is where the password lies.
	SecretName string `json:"secretName"`
}

// CacheUserStatus is the observed state of a CacheUser.
type CacheUserStatus struct {
	// Synced tells that the servers know the user.
	// +optional
	Synced bool `json:"synced,omitempty"`

	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:name="Synced",type=boolean,JSONPath=`.status.synced`

// CacheUser is an account on a Cache.
type CacheUser struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CacheUserSpec   `json:"spec,omitempty"`
	Status CacheUserStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// CacheUserList is a list of users.
type CacheUserList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CacheUser `json:"items"`
}

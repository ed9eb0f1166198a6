package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

const (
	// Finalizer keeps a Cache until its volumes are gone.
	Finalizer = "cache.demo.opvet.dev/volumes"

	// PreviousVersionAnnotation remembers what an upgrade can go back to.
	PreviousVersionAnnotation = "cache.demo.opvet.dev/previous-version"
	// FirstVersionAnnotation remembers which one the Cache was made with.
	FirstVersionAnnotation = "cache.demo.opvet.dev/first-version"

	// ConditionReady says whether a Cache can be used.
	ConditionReady = "Ready"
)

// CachePhase sums up the state of a Cache.
// +kubebuilder:validation:Enum=Creating;Ready;Upgrading;Failed;Deleting
type CachePhase string

const (
	CacheCreating  CachePhase = "Creating"
	CacheReady     CachePhase = "Ready"
	CacheUpgrading CachePhase = "Upgrading"
	CacheFailed    CachePhase = "Failed"
	CacheDeleting  CachePhase = "Deleting"
)

// CacheSpec is the desired state of a Cache.
type CacheSpec struct {
	// Version of the server.
	Version string `json:"version"`

	// Replicas is how many servers there are; three unless told otherwise.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Replicas *int32 `json:"replicas,omitempty"`

	// SecretNamespace is where applications look for the password.
	// +optional
	SecretNamespace string `json:"secretNamespace,omitempty"`
}

// CacheStatus is the observed state of a Cache.
type CacheStatus struct {
	// +optional
	Phase CachePhase `json:"phase,omitempty"`

	// Version that runs now.
	// +optional
	Version string `json:"version,omitempty"`

	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`

	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.version`

// Cache is a replicated in-memory cache.
type Cache struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CacheSpec   `json:"spec,omitempty"`
	Status CacheStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// CacheList is a list of caches.
type CacheList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Cache `json:"items"`
}

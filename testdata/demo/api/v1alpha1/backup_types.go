package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BackupPhase is how far a backup has come.
// +kubebuilder:validation:Enum=Running;Completed;Failed;Superseded
type BackupPhase string

const (
	BackupRunning    BackupPhase = "Running"
	BackupCompleted  BackupPhase = "Completed"
	BackupFailed     BackupPhase = "Failed"
	BackupSuperseded BackupPhase = "Superseded"
)

// CacheBackupSpec is the desired state of a CacheBackup.
type CacheBackupSpec struct {
	// Cache is the name of the Cache to save.
	Cache string `json:"cache"`

	// Image of the job that saves it.
	Image string `json:"image"`

	// Replaces names the backup that this one makes superfluous.
	// +optional
	Replaces string `json:"replaces,omitempty"`
}

// CacheBackupStatus is the observed state of a CacheBackup.
type CacheBackupStatus struct {
	// +optional
	Phase BackupPhase `json:"phase,omitempty"`

	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// CacheBackup saves the content of a Cache once.
type CacheBackup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CacheBackupSpec   `json:"spec,omitempty"`
	Status CacheBackupStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// CacheBackupList is a list of backups.
type CacheBackupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CacheBackup `json:"items"`
}

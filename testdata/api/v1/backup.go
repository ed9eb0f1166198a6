package v1

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BackupPhase says how far a backup has come.
type BackupPhase string

const (
	BackupPending   BackupPhase = "Pending"
	BackupRunning   BackupPhase = "Running"
	BackupCompleted BackupPhase = "Completed"
	BackupFailed    BackupPhase = "Failed"
)

// Finalizer keeps an object until its data outside the cluster is gone.
const Finalizer = "example.opvet.dev/cleanup"

// BackupSpec is what a user asks for.
type BackupSpec struct {
	Source   string            `json:"source"`
	Paused   bool              `json:"paused,omitempty"`
	Replicas *int32            `json:"replicas,omitempty"`
	Options  map[string]string `json:"options,omitempty"`
}

// VolumeStatus is how far one volume of a backup has come.
type VolumeStatus struct {
	Name string `json:"name"`
	Done bool   `json:"done,omitempty"`
}

// BackupStatus is what the controller found.
type BackupStatus struct {
	Phase              BackupPhase        `json:"phase,omitempty"`
	Message            string             `json:"message,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	StartTime          *metav1.Time       `json:"startTime,omitempty"`
	Volumes            []VolumeStatus     `json:"volumes,omitempty"`
	Targets            map[string]string  `json:"targets,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// SetCondition adds or replaces the condition of its type.
func (s *BackupStatus) SetCondition(c metav1.Condition) {
	meta.SetStatusCondition(&s.Conditions, c)
}

// Backup is namespaced, and its status is a subresource.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BackupSpec   `json:"spec,omitempty"`
	Status BackupStatus `json:"status,omitempty"`
}

// SetCondition adds or replaces the condition of its type.
func (b *Backup) SetCondition(c metav1.Condition) { b.Status.SetCondition(c) }

// GetConditions returns the conditions.
func (b *Backup) GetConditions() []metav1.Condition { return b.Status.Conditions }

// SetConditions replaces the conditions.
func (b *Backup) SetConditions(conditions []metav1.Condition) { b.Status.Conditions = conditions }

// MarkFailed records why a backup failed.
func (b *Backup) MarkFailed(message string) {
	b.Status.Phase = BackupFailed
	b.Status.Message = message
}

// Default fills in what the user left out.
func (b *Backup) Default() {
	if b.Spec.Replicas == nil {
		one := int32(1)
		b.Spec.Replicas = &one
	}
}

// BackupList is a list of backups.
//
// +kubebuilder:object:root=true
type BackupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Backup `json:"items"`
}

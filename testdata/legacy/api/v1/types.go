package v1

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Finalizer keeps an object until its data outside the cluster is gone.
const Finalizer = "example.opvet.dev/cleanup"

// BackupSpec is what a user asks for.
type BackupSpec struct {
	Source string `json:"source"`
	Paused bool   `json:"paused,omitempty"`
}

// BackupStatus is what the controller found.
type BackupStatus struct {
	Phase      string             `json:"phase,omitempty"`
	StartTime  *metav1.Time       `json:"startTime,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Backup is namespaced, and its status is a subresource.
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BackupSpec   `json:"spec,omitempty"`
	Status BackupStatus `json:"status,omitempty"`
}

// SetCondition adds or replaces the condition of its type.
func (b *Backup) SetCondition(c metav1.Condition) {
	meta.SetStatusCondition(&b.Status.Conditions, c)
}

// +kubebuilder:object:root=true

// BackupList is a list of backups.
type BackupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Backup `json:"items"`
}

// ScheduleSpec is what a user asks for.
type ScheduleSpec struct {
	Cron string `json:"cron"`
}

// ScheduleStatus is what the controller found.
type ScheduleStatus struct {
	Phase string `json:"phase,omitempty"`
}

// +kubebuilder:object:root=true

// Schedule has a status, but not as a subresource: a plain Update stores it.
type Schedule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ScheduleSpec   `json:"spec,omitempty"`
	Status ScheduleStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// ScheduleList is a list of schedules.
type ScheduleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Schedule `json:"items"`
}

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ScheduleSpec is what a user asks for.
type ScheduleSpec struct {
	Cron string `json:"cron"`
}

// ScheduleStatus is what the controller found.
type ScheduleStatus struct {
	Phase      string             `json:"phase,omitempty"`
	LastBackup *metav1.Time       `json:"lastBackup,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Schedule has a status, but not as a subresource: a plain Update stores it,
// and nothing in this module calls the status endpoint for it.
//
// +kubebuilder:object:root=true
// +kubebuilder:object:generate=true
// +kubebuilder:storageversion
type Schedule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ScheduleSpec   `json:"spec,omitempty"`
	Status ScheduleStatus `json:"status,omitempty"`
}

// ScheduleList is a list of schedules.
//
// +kubebuilder:object:root=true
type ScheduleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Schedule `json:"items"`
}

// NodeReportStatus is what an agent on a node found.
type NodeReportStatus struct {
	Errors             []string `json:"errors,omitempty"`
	ObservedGeneration int64    `json:"observedGeneration,omitempty"`
}

// NodeReport carries nothing but a status from one process to another. It has
// no subresource on purpose.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced
type NodeReport struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status NodeReportStatus `json:"status,omitempty"`
}

// NodeReportList is a list of reports.
//
// +kubebuilder:object:root=true
type NodeReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []NodeReport `json:"items"`
}

// SettingsSpec is the configuration of an operator.
type SettingsSpec struct {
	Verbose bool `json:"verbose,omitempty"`
}

// Settings has no status at all.
//
// +kubebuilder:object:root=true
type Settings struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SettingsSpec `json:"spec,omitempty"`
}

// SettingsList is a list of settings.
//
// +kubebuilder:object:root=true
type SettingsList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Settings `json:"items"`
}

// MirrorSpec is what a user asks for.
type MirrorSpec struct {
	Remote string `json:"remote"`
}

// MirrorStatus is what the controller found.
type MirrorStatus struct {
	Synced bool `json:"synced,omitempty"`
}

// Mirror should have the status subresource: its controller calls the status
// endpoint. Somebody forgot the marker.
//
// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:name="Synced",type=boolean,JSONPath=`.status.synced`
type Mirror struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MirrorSpec   `json:"spec,omitempty"`
	Status MirrorStatus `json:"status,omitempty"`
}

// MirrorList is a list of mirrors.
//
// +kubebuilder:object:root=true
type MirrorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Mirror `json:"items"`
}

// Package apply holds apply configurations for the kinds of api/v1 in the
// shape that applyconfiguration-gen gives to those of all projects.
package apply

import (
	metav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// BackupApplyConfiguration is what one field manager wants of a Backup.
type BackupApplyConfiguration struct {
	metav1.TypeMetaApplyConfiguration    `json:",inline"`
	*metav1.ObjectMetaApplyConfiguration `json:"metadata,omitempty"`

	Spec   *BackupSpecApplyConfiguration   `json:"spec,omitempty"`
	Status *BackupStatusApplyConfiguration `json:"status,omitempty"`
}

// IsApplyConfiguration marks the type.
func (b *BackupApplyConfiguration) IsApplyConfiguration() {}

// Backup makes a configuration for the object of that name.
func Backup(name, namespace string) *BackupApplyConfiguration {
	b := &BackupApplyConfiguration{ObjectMetaApplyConfiguration: &metav1.ObjectMetaApplyConfiguration{}}
	b.WithKind("Backup").WithAPIVersion(v1.GroupVersion.String())
	b.ObjectMetaApplyConfiguration.WithName(name).WithNamespace(namespace)
	return b
}

// WithSpec sets the spec.
func (b *BackupApplyConfiguration) WithSpec(value *BackupSpecApplyConfiguration) *BackupApplyConfiguration {
	b.Spec = value
	return b
}

// WithStatus sets the status.
func (b *BackupApplyConfiguration) WithStatus(value *BackupStatusApplyConfiguration) *BackupApplyConfiguration {
	b.Status = value
	return b
}

// GetName returns the name.
func (b *BackupApplyConfiguration) GetName() *string { return b.ObjectMetaApplyConfiguration.Name }

// BackupSpecApplyConfiguration is the part for the spec.
type BackupSpecApplyConfiguration struct {
	Source *string `json:"source,omitempty"`
	Paused *bool   `json:"paused,omitempty"`
}

// BackupSpec makes an empty part for the spec.
func BackupSpec() *BackupSpecApplyConfiguration { return &BackupSpecApplyConfiguration{} }

// WithPaused sets the field.
func (b *BackupSpecApplyConfiguration) WithPaused(value bool) *BackupSpecApplyConfiguration {
	b.Paused = &value
	return b
}

// BackupStatusApplyConfiguration is the part for the status.
type BackupStatusApplyConfiguration struct {
	Phase   *v1.BackupPhase `json:"phase,omitempty"`
	Message *string         `json:"message,omitempty"`
}

// BackupStatus makes an empty part for the status.
func BackupStatus() *BackupStatusApplyConfiguration { return &BackupStatusApplyConfiguration{} }

// WithPhase sets the field.
func (b *BackupStatusApplyConfiguration) WithPhase(value v1.BackupPhase) *BackupStatusApplyConfiguration {
	b.Phase = &value
	return b
}

package lib

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Workload is what a backup wishes to run.
func Workload(backup *v1.Backup) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Spec:       appsv1.DeploymentSpec{Replicas: replicas(backup)},
	}
}

func replicas(backup *v1.Backup) *int32 {
	if backup.Spec.Paused {
		return new(int32)
	}
	return backup.Spec.Replicas
}

// A Builder makes what a Backup needs.
type Builder struct{ backup *v1.Backup }

// NewBuilder returns a builder for a Backup.
func NewBuilder(backup *v1.Backup) *Builder { return &Builder{backup} }

// Workload returns a Deployment with as many replicas as the Backup wants.
func (b *Builder) Workload() (*appsv1.Deployment, error) {
	n := int32(2)
	if b.backup.Spec.Replicas != nil {
		n = *b.backup.Spec.Replicas
	}
	workload := &appsv1.Deployment{
		ObjectMeta: b.meta(),
		Spec:       appsv1.DeploymentSpec{Replicas: &n},
	}
	return workload, nil
}

func (b *Builder) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: b.backup.Name, Namespace: b.backup.Namespace}
}

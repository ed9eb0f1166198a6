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

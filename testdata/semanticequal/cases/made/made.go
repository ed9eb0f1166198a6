// Package made makes workloads of what users ask for.
package made

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// For makes the workload of a backup, with as many replicas as the user says, if he does.
func For(backup *v1.Backup) *appsv1.StatefulSet {
	made := Fixed(backup)
	made.Spec.Replicas = backup.Spec.Replicas
	return made
}

// Fixed makes the same workload for all, but for its name.
func Fixed(backup *v1.Backup) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace},
		Spec:       appsv1.StatefulSetSpec{ServiceName: backup.Name, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": backup.Name}}},
	}
}

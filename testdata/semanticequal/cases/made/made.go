// Package made makes workloads of what users ask for.
package made

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// For makes the workload of a backup.
func For(backup *v1.Backup) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: backup.Name, Namespace: backup.Namespace}}
}

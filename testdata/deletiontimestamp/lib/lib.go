// Package lib has helpers that look at, or read, the deletion timestamps of
// what they get.
package lib

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IsTerminating reports whether an object is being deleted.
func IsTerminating(obj metav1.Object) bool { return obj.GetDeletionTimestamp() != nil }

// IsMarked is IsTerminating for metadata by value.
func IsMarked(meta metav1.ObjectMeta) bool { return meta.DeletionTimestamp != nil }

// IsStuck looks at more than the deletion.
func IsStuck(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp == nil || pod.Status.Reason == "NodeLost" {
		return pod.Spec.NodeName == ""
	}
	return len(pod.Finalizers) > 0
}

// DeletingFor says for how long an object has been deleted; it must be.
func DeletingFor(obj metav1.Object) time.Duration {
	return time.Since(obj.GetDeletionTimestamp().Time)
}

// SafelyDeletingFor is DeletingFor that can be asked about live objects.
func SafelyDeletingFor(obj metav1.Object) time.Duration {
	if obj.GetDeletionTimestamp() == nil {
		return 0
	}
	return DeletingFor(obj)
}

// Terminating keeps the pods that are being deleted.
func Terminating(pods []corev1.Pod) []corev1.Pod {
	var kept []corev1.Pod
	for _, pod := range pods {
		if IsTerminating(&pod) {
			kept = append(kept, pod)
		}
	}
	return kept
}

// Package strict compares times by value.
package strict

import corev1 "k8s.io/api/core/v1"

func heartbeat(a, b *corev1.NodeCondition) bool {
	return a.LastHeartbeatTime == b.LastHeartbeatTime // want `equal times count as different.*\(semanticequal/time\)`
}

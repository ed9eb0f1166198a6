// Package follower reads logs for others.
package follower

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
)

// Log waits as long as the container writes.
func Log(kube kubernetes.Interface, pod string) ([]byte, error) {
	log, err := kube.CoreV1().Pods("a").GetLogs(pod, &corev1.PodLogOptions{Follow: true}).Stream(context.TODO())
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return io.ReadAll(log)
}

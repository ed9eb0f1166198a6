// Package watch has watches that nothing ends.
package watch

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Reconciler has what the cases need.
type Reconciler struct {
	client  client.WithWatch
	kube    kubernetes.Interface
	dynamic dynamic.Interface
	gvr     schema.GroupVersionResource

	ctx  context.Context // ends with the process
	stop chan struct{}
	open watch.Interface
}

func each(watch.Event) {}

func check(context.Context) error { return io.EOF }

func ready(e watch.Event) bool {
	pod, ok := e.Object.(*corev1.Pod)
	return ok && pod.Status.Phase == corev1.PodRunning
}

var _ = ctrl.Result{}

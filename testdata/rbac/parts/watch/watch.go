// Package watch has helpers for several programs.
package watch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

// Nodes begins to watch.
func Nodes(factory informers.SharedInformerFactory) func() bool {
	return factory.Core().V1().Nodes().Informer().HasSynced // want `^stuck: the informer never syncs, and its controller never starts: no role grants list, watch and patch of nodes; .*rbac/missing-verb`
}

// Label gives a node a label, and tells so in its status.
func Label(ctx context.Context, kube kubernetes.Interface, node string) error {
	if err := patch(ctx, kube, node); err != nil {
		return err
	}
	return patch(ctx, kube, node, "status")
}

// patch leaves it to its callers what it changes.
func patch(ctx context.Context, kube kubernetes.Interface, node string, subresources ...string) error {
	data := []byte(`{"metadata":{"labels":{"labelled":"yes"}}}`)
	_, err := kube.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, data, metav1.PatchOptions{}, subresources...) // want `^stuck: Patch is always forbidden: no role grants patch of nodes/status; .*rbac/missing-subresource`
	return err
}

// Drop is for another program.
func Drop(ctx context.Context, kube kubernetes.Interface, name string) error {
	return forget(ctx, kube, name)
}

func forget(ctx context.Context, kube kubernetes.Interface, name string) error {
	return kube.CoreV1().Secrets("system").Delete(ctx, name, metav1.DeleteOptions{})
}

package helpers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

type nodes struct{ kube kubernetes.Interface }

// Get is the old form of GetWithContext, for those who have none.
func (n *nodes) Get(name string) (*corev1.Node, error) {
	return n.GetWithContext(context.Background(), name)
}

// GetWithContext reads a node.
func (n *nodes) GetWithContext(ctx context.Context, name string) (*corev1.Node, error) {
	return n.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
}

func (n *nodes) old(ctx context.Context) error {
	if _, err := n.GetWithContext(ctx, "a"); err != nil {
		return err
	}
	_, err := n.Get("b")
	return err
}

// The functions of a ListWatch have no context, whoever calls them.
func (n *nodes) listWatch() *cache.ListWatch {
	return &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return n.kube.CoreV1().Nodes().List(context.Background(), options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return n.kube.CoreV1().Nodes().Watch(context.Background(), options)
		},
	}
}

func (n *nodes) first(ctx context.Context) error {
	_, err := n.list(metav1.ListOptions{Limit: 1})
	return err
}

func (n *nodes) list(options metav1.ListOptions) (runtime.Object, error) {
	return n.kube.CoreV1().Nodes().List(context.TODO(), options)
}

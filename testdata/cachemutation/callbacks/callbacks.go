// Package callbacks hands objects of a cache, or copies of them, to functions that change
// them.
package callbacks

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	listerscorev1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/util/retry"
)

// nodes changes nodes through functions that read them, hand them to a function
// and write them.
type nodes struct {
	lister listerscorev1.NodeLister
	kube   kubernetes.Interface
}

func (n *nodes) label(ctx context.Context, name string) error {
	if err := n.updateCopy(ctx, name, func(node *corev1.Node) error {
		node.Labels["zone"] = "a" // a copy
		return nil
	}); err != nil {
		return err
	}
	if err := n.updateFreshCopy(ctx, name, func(node *corev1.Node) error {
		node.Labels["zone"] = "a" // a copy
		return nil
	}); err != nil {
		return err
	}
	if err := n.updateCopyOnOneWay(ctx, name, func(node *corev1.Node) error {
		node.Labels["zone"] = "a" // want `^crash: crash if the map is read meanwhile: node\.Labels\["zone"\] belongs to the informer cache`
		return nil
	}); err != nil {
		return err
	}
	return n.update(ctx, name, func(node *corev1.Node) error {
		node.Labels["zone"] = "a" // want `^crash: crash if the map is read meanwhile: node\.Labels\["zone"\] belongs to the informer cache`
		return nil
	})
}

// updateCopy puts a copy into the variable of the outer function before it calls.
func (n *nodes) updateCopy(ctx context.Context, name string, change func(*corev1.Node) error) error {
	var node *corev1.Node
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var err error
		node, err = n.lister.Get(name)
		if err != nil {
			return err
		}
		node = node.DeepCopy()
		if err := change(node); err != nil {
			return err
		}
		node, err = n.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// updateFreshCopy hands the copy on at once.
func (n *nodes) updateFreshCopy(ctx context.Context, name string, change func(*corev1.Node) error) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := n.lister.Get(name)
		if err != nil {
			return err
		}
		node = node.DeepCopy()
		if err := change(node); err != nil {
			return err
		}
		_, err = n.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// updateCopyOnOneWay copies what has labels only.
func (n *nodes) updateCopyOnOneWay(ctx context.Context, name string, change func(*corev1.Node) error) error {
	var node *corev1.Node
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var err error
		node, err = n.lister.Get(name)
		if err != nil {
			return err
		}
		if len(node.Annotations) > 0 {
			node = node.DeepCopy()
		}
		if err := change(node); err != nil {
			return err
		}
		_, err = n.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// update copies too late.
func (n *nodes) update(ctx context.Context, name string, change func(*corev1.Node) error) error {
	var node *corev1.Node
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var err error
		node, err = n.lister.Get(name)
		if err != nil {
			return err
		}
		if err := change(node); err != nil {
			return err
		}
		node = node.DeepCopy()
		node, err = n.kube.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

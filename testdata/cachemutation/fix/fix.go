// Package fix has mistakes that a copy mends.
package fix

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
)

type controller struct {
	client kubernetes.Interface
	nodes  corelisters.NodeLister
}

func (c *controller) straight(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	if node.Spec.Unschedulable {
		return nil
	}
	node.Spec.Unschedulable = true // want `cachemutation/lister-object`
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func (c *controller) inLoop(ctx context.Context, names []string) {
	for _, name := range names {
		node, err := c.nodes.Get(name)
		if err != nil {
			continue
		}
		label(node) // want `cachemutation/through-helper`
		_, _ = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	}
}

func label(node *corev1.Node) { node.Labels["a"] = "b" }

// The value is read from the cache later: a copy would lose it.
func (c *controller) neverSent(name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	node.Spec.Unschedulable = true // want `cachemutation/lister-object`
	return nil
}

// Where the copy belongs is for a person to say.
func (c *controller) assignedAgain(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	if node, err = c.nodes.Get("other"); err != nil {
		return err
	}
	node.Spec.Unschedulable = true // want `cachemutation/lister-object`
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

package listers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What is sent afterwards and refused, the retry finds in the cache.

func (c *controller) mapEntrySent(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil || node.Labels["checked"] == "true" {
		return err
	}
	node.Labels["checked"] = "true" // want `^loss: if Update fails, the retry takes the changed node\.Labels\["checked"\] for stored: it is in the informer cache \(c\.nodes\.Get, line \d+\); change a DeepCopy`
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func (c *controller) sentByHelper(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil || node.Spec.Unschedulable {
		return err
	}
	node.Spec.Unschedulable = true // want `^loss: if store fails, the retry takes the changed node\.Spec\.Unschedulable for stored: it is in the informer cache \(c\.nodes\.Get, line \d+\); change a DeepCopy`
	return c.store(ctx, node)
}

func (c *controller) store(ctx context.Context, node *corev1.Node) error {
	_, err := c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// A helper changes the entry, another one sends it.
func (c *controller) inTwoHelpers(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	mark(node) // want `^loss: if store fails, the retry takes the changed node\.Annotations\["seen"\] for stored: it is in the informer cache \(mark, line \d+\); hand it a DeepCopy`
	return c.store(ctx, node)
}

func mark(node *corev1.Node) { node.Annotations["seen"] = "true" }

// What was sent before the change is another matter: only readers see it.
func (c *controller) changedAfterwards(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	if err := c.store(ctx, node); err != nil {
		return err
	}
	node.Labels["stored"] = "true" // want `^crash: crash if the map is read meanwhile: node\.Labels\["stored"\] belongs to the informer cache`
	return nil
}

// Right: the copy is changed, and sent by the helper.
func (c *controller) copySentByHelper(ctx context.Context, name string) error {
	cached, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	node := cached.DeepCopy()
	mark(node)
	return c.store(ctx, node)
}

// Right: nothing is changed before it is sent.
func (c *controller) sentUnchanged(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	return c.store(ctx, node)
}

// Right: what the helper changes and sends has just been read by the clientset.
func (c *controller) freshSentByHelper(ctx context.Context, name string) error {
	node, err := c.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	mark(node)
	return c.store(ctx, node)
}

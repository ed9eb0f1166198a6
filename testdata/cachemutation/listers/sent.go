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
	node.Labels["checked"] = "true" // want `^loss: if Update fails, the changed node\.Labels\["checked"\] stays though it was not stored: it is in the informer cache \(c\.nodes\.Get, line \d+\); change a DeepCopy`
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func (c *controller) sentByHelper(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil || node.Spec.Unschedulable {
		return err
	}
	node.Spec.Unschedulable = true // want `^loss: if store fails, the changed node\.Spec\.Unschedulable stays though it was not stored: it is in the informer cache \(c\.nodes\.Get, line \d+\); change a DeepCopy`
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
	mark(node) // want `^loss: if store fails, the changed node\.Annotations\["seen"\] stays though it was not stored: it is in the informer cache \(mark, line \d+\); hand it a DeepCopy`
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

// In the end nothing of the lister's is returned without an error.
func (c *controller) storedInTheEnd(ctx context.Context, node *corev1.Node) (*corev1.Node, error) {
	var stored *corev1.Node
	var err error
	for range 3 {
		stored, err = c.nodes.Get(node.Name)
		if err != nil {
			continue
		}
		cp := stored.DeepCopy()
		cp.Status = node.Status
		if stored, err = c.client.CoreV1().Nodes().UpdateStatus(ctx, cp, metav1.UpdateOptions{}); err == nil {
			return stored, nil
		}
	}
	return stored, err
}

func (c *controller) changesWhatWasStored(ctx context.Context, node *corev1.Node) error {
	stored, err := c.storedInTheEnd(ctx, node.DeepCopy())
	if err != nil {
		return err
	}
	stored.Labels["stored"] = "true"
	return c.store(ctx, stored)
}

// The lister's answer is kept where the write is left out.
func (c *controller) storedOrNot(ctx context.Context, node *corev1.Node) (*corev1.Node, error) {
	stored, err := c.nodes.Get(node.Name)
	if err != nil {
		return nil, err
	}
	if stored.Spec.Unschedulable != node.Spec.Unschedulable {
		return c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	}
	return stored, nil
}

func (c *controller) changesWhatMayBeCached(ctx context.Context, node *corev1.Node) error {
	stored, err := c.storedOrNot(ctx, node.DeepCopy())
	if err != nil {
		return err
	}
	stored.Labels["stored"] = "true" // want `it is in the informer cache|belongs to the informer cache`
	return c.store(ctx, stored)
}

package listers

import (
	"context"
	"errors"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
)

// Hygiene: nothing that the object holds decides whether it is sent, so that a retry sends it
// once more.

// Only the change depends on the object, not the request.
func (c *controller) changeDecided(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	if len(node.Annotations) > 0 {
		delete(node.Annotations, "draining") // want `^hygiene: crash if the map is read meanwhile`
	}
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// That there is an object, and of which type, says nothing of an earlier change.
func (c *controller) existenceAsked(ctx context.Context, index cache.SharedIndexInformer, key string, wanted *corev1.Service) error {
	item, exists, err := index.GetIndexer().GetByKey(key)
	if err != nil || !exists {
		return err
	}
	service, ok := item.(*corev1.Service)
	if !ok || service == nil || wanted == nil {
		return nil
	}
	service.Labels = wanted.Labels // want `^hygiene: readers get unsaved changes`
	service.Spec.Selector = wanted.Spec.Selector
	if _, err := c.client.CoreV1().Services(service.Namespace).Update(ctx, service, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return nil
}

// What is asked is another part than the one that is changed.
func (c *controller) otherPartAsked(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	if node.Status.Phase != corev1.NodeTerminated {
		return nil
	}
	node.Finalizers = []string{} // want `^hygiene: readers get unsaved changes`
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// That the object can be read says nothing either.
func (c *controller) readable(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	if err := wellFormed(node); err != nil {
		return err
	}
	node.Spec.Unschedulable = true // want `^hygiene: readers get unsaved changes`
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func wellFormed(node *corev1.Node) error {
	if node.Spec.ProviderID == "" {
		return errors.New("no provider")
	}
	return nil
}

// The helper sends it, too, whatever it holds.
func (c *controller) helperAsksNothing(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	return c.cordon(ctx, node) // want `^hygiene: readers get unsaved changes`
}

func (c *controller) cordon(ctx context.Context, node *corev1.Node) error {
	node.Spec.Unschedulable = true
	_, err := c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// The object is read by the name of what is wanted, and nothing of either is asked.
func (c *controller) wantedByName(ctx context.Context, wanted *corev1.Node) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := c.nodes.Get(wanted.Name)
		if err != nil {
			return err
		}
		node.Spec = wanted.Spec // want `^hygiene: readers get unsaved changes`
		if _, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{}); err != nil {
			return err
		}
		_, err = c.client.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// What is asked is another object.
func (c *controller) otherAsked(ctx context.Context, name, other string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	model, err := c.nodes.Get(other)
	if err != nil || !model.Spec.Unschedulable {
		return err
	}
	node.Spec.Unschedulable = true // want `^hygiene: readers get unsaved changes`
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// Mistakes: the object is asked, and has the change already.

// By a hash, before it is overwritten.
func (c *controller) hashAsked(ctx context.Context, index cache.SharedIndexInformer, key string, wanted *corev1.Service) error {
	item, exists, err := index.GetIndexer().GetByKey(key)
	if err != nil || !exists {
		return err
	}
	service := item.(*corev1.Service)
	before, after := hashOf(service), hashOf(wanted)
	if before == after {
		return nil
	}
	service.Spec = wanted.Spec // want `^loss: if Update fails, the changed service\.Spec stays though it was not stored`
	_, err = c.client.CoreV1().Services(service.Namespace).Update(ctx, service, metav1.UpdateOptions{})
	return err
}

func hashOf(service *corev1.Service) int { return len(service.Spec.Ports) }

// By a helper that tells whether it has changed anything.
func (c *controller) changedTold(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	if !ensureLabel(node) { // want `^loss: if Update fails, the changed node\.Labels\["managed"\] stays though it was not stored`
		return nil
	}
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

func ensureLabel(node *corev1.Node) bool {
	if node.Labels["managed"] == "true" {
		return false
	}
	node.Labels["managed"] = "true"
	return true
}

// By a variable that notes it, in a loop over all.
func (c *controller) changedNoted(ctx context.Context, nodes []string) error {
	for _, name := range nodes {
		node, err := c.nodes.Get(name)
		if err != nil {
			return err
		}
		changed := false
		if !node.Spec.Unschedulable {
			node.Spec.Unschedulable = true // want `^loss: if Update fails, the changed node\.Spec\.Unschedulable stays though it was not stored`
			changed = true
		}
		if !changed {
			continue
		}
		if _, err := c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// By a copy of what it was.
func (c *controller) copyAsked(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil {
		return err
	}
	before := node.DeepCopy()
	node.Spec.Taints = nil // want `^loss: if Update fails, the changed node\.Spec\.Taints stays though it was not stored`
	if reflect.DeepEqual(before, node) {
		return nil
	}
	_, err = c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// Before the literal that sends it.
func (c *controller) askedOutside(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil || node.Spec.Unschedulable {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node.Spec.Unschedulable = true // want `^loss: if Update fails, the changed node\.Spec\.Unschedulable stays though it was not stored`
		_, err := c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// In the caller, before the helper that sends it whatever it holds.
func (c *controller) askedByCaller(ctx context.Context, name string) error {
	node, err := c.nodes.Get(name)
	if err != nil || !node.Spec.Unschedulable {
		return err
	}
	return c.uncordon(ctx, node) // want `^loss: if Update fails, the changed node\.Spec\.Unschedulable stays though it was not stored`
}

func (c *controller) uncordon(ctx context.Context, node *corev1.Node) error {
	node.Spec.Unschedulable = false
	_, err := c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// Of the copy by whose name the object is read once more.
func (c *controller) copyOfIt(ctx context.Context, names []string) error {
	for _, name := range names {
		cached, err := c.nodes.Get(name)
		if err != nil {
			return err
		}
		node := cached.DeepCopy()
		if node.Spec.Unschedulable {
			continue
		}
		node, err = c.nodes.Get(node.Name)
		if err != nil {
			return err
		}
		node.Spec.Unschedulable = true // want `^loss: if Update fails, the changed node\.Spec\.Unschedulable stays though it was not stored`
		if _, err := c.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// What the API server has answered is what the watch is about to bring.
func (c *controller) answerTaken(ctx context.Context, name string, wanted *corev1.Service) error {
	service, err := c.services.Services("ns").Get(name)
	if err != nil {
		return err
	}
	stored, err := c.client.CoreV1().Services(service.Namespace).Update(ctx, wanted, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	service.Spec = stored.Spec // want `^hygiene: readers get unsaved changes`
	return nil
}

// What was sent is not: the server may have refused it.
func (c *controller) requestTaken(ctx context.Context, name string, wanted *corev1.Service) error {
	service, err := c.services.Services("ns").Get(name)
	if err != nil {
		return err
	}
	_, err = c.client.CoreV1().Services(service.Namespace).Update(ctx, wanted, metav1.UpdateOptions{})
	service.Spec = wanted.Spec // want `^loss: readers get unsaved changes`
	return err
}

// Nor is what was read before.
func (c *controller) readTaken(ctx context.Context, name string, live string) error {
	service, err := c.services.Services("ns").Get(name)
	if err != nil {
		return err
	}
	other, err := c.client.CoreV1().Services(service.Namespace).Get(ctx, live, metav1.GetOptions{})
	if err != nil {
		return err
	}
	service.Spec = other.Spec // want `^loss: readers get unsaved changes`
	return nil
}

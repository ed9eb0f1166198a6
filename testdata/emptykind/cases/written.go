package cases

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const origin = "example.com/origin"

// Where a copy comes from is told to people, in an annotation.
func (c *controller) copyOf(ctx context.Context, ns, name string) (*corev1.ConfigMap, error) {
	from, err := c.core.CoreV1().ConfigMaps(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	ref := corev1.ObjectReference{APIVersion: from.APIVersion, Kind: from.Kind, Name: from.Name, Namespace: from.Namespace} // want `hygiene: this is empty: a ConfigMap.* has no apiVersion.*\(emptykind/lost-gvk\)`
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: withOrigin(from.Annotations, ref)},
		Data:       from.Data,
	}, nil
}

func withOrigin(annotations map[string]string, from corev1.ObjectReference) map[string]string {
	merged := map[string]string{}
	for k, v := range annotations {
		merged[k] = v
	}
	text, _ := json.Marshal(from)
	merged[origin] = string(text)
	return merged
}

// What is looked up by it as well needs it.
func (c *controller) copyAndFind(ctx context.Context, ns, name string) (*corev1.ObjectReference, string, error) {
	from, err := c.core.CoreV1().ConfigMaps(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, "", err
	}
	ref := corev1.ObjectReference{APIVersion: from.APIVersion, Kind: from.Kind, Name: from.Name} // want `loss: the ObjectReference tells nobody what it is about: a ConfigMap.*\(emptykind/lost-gvk\)`
	text, err := json.Marshal(ref)
	return &ref, string(text), err
}

// What is sent, or looked up by its kind, needs it, too.
func (c *controller) sent(ctx context.Context, ns, name string) error {
	from, err := c.core.CoreV1().ConfigMaps(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	ref := corev1.ObjectReference{APIVersion: from.APIVersion, Kind: from.Kind, Name: from.Name} // want `loss: the ObjectReference tells nobody what it is about: a ConfigMap.*\(emptykind/lost-gvk\)`
	text, err := json.Marshal(ref)
	if err != nil {
		return err
	}
	_, err = c.core.CoreV1().PersistentVolumes().Patch(ctx, name, types.MergePatchType, text, metav1.PatchOptions{})
	return err
}

func (c *controller) lookedUp(ctx context.Context, ns, name string, annotations map[string]string, find func(kind, name string) bool) bool {
	from, err := c.core.CoreV1().ConfigMaps(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false
	}
	ref := corev1.ObjectReference{APIVersion: from.APIVersion, Kind: from.Kind, Name: from.Name} // want `loss: the ObjectReference tells nobody what it is about: a ConfigMap.*\(emptykind/lost-gvk\)`
	text, _ := json.Marshal(ref)
	annotations[origin] = string(text)
	return find(ref.Kind, ref.Name)
}

// Package nilmap is of the time before generics.
package nilmap

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

func label(ctx context.Context, c kubernetes.Interface, ns, name string) error {
	service, err := c.CoreV1().Services(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	service.Labels["a"] = "b" // want `this panics on the first Service without labels: .*nilmap/metadata`
	_, err = c.CoreV1().Services(ns).Update(ctx, service, metav1.UpdateOptions{})
	return err
}

func right(ctx context.Context, c kubernetes.Interface, ns, name string) (*corev1.ConfigMap, error) {
	config, err := c.CoreV1().ConfigMaps(ns).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if config.Data == nil {
		config.Data = map[string]string{}
	}
	config.Data["a"] = "b"
	return c.CoreV1().ConfigMaps(ns).Update(ctx, config, metav1.UpdateOptions{})
}

// preview is a kind with a webhook in the old style, which is a method of it.
type preview struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

func (p *preview) DeepCopyObject() runtime.Object {
	return &preview{p.TypeMeta, *p.ObjectMeta.DeepCopy()}
}

// Default is called for what the user has sent.
func (p *preview) Default() {
	p.Annotations["a"] = "b" // want `first preview without annotations`
}

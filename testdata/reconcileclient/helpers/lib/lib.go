// Package lib builds clients for others.
package lib

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Context is handed around.
type Context struct{ Config *rest.Config }

// Export builds a client each time.
func Export(ctx context.Context, c *Context, name string) error {
	kube, err := newClient(c)
	if err != nil {
		return err
	}
	_ = kube
	return nil
}

func newClient(c *Context) (kubernetes.Interface, error) { return kubernetes.NewForConfig(c.Config) }

// NewClient returns one.
func NewClient(config *rest.Config) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(config)
}

var (
	once    sync.Once
	client0 kubernetes.Interface
)

// Shared builds it the first time only.
func Shared(config *rest.Config) kubernetes.Interface {
	once.Do(func() { client0 = kubernetes.NewForConfigOrDie(config) })
	return client0
}

// Remote returns the configuration of a member cluster.
func Remote(ctx context.Context, c client.Client, key client.ObjectKey) (*rest.Config, error) {
	var secret corev1.Secret
	if err := c.Get(ctx, key, &secret); err != nil {
		return nil, err
	}
	return clientcmd.RESTConfigFromKubeConfig(secret.Data["value"])
}

// Own returns a copy of the operator's configuration.
func Own(c *Context) *rest.Config { return rest.CopyConfig(c.Config) }

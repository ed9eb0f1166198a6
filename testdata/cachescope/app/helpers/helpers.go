// Package helpers reads for others, and does not know through which client.
package helpers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Password is called with the manager's client only.
func Password(ctx context.Context, c client.Client, namespace, name string) (string, error) {
	var secret corev1.Secret
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &secret); err != nil {
		return "", err
	}
	return string(secret.Data["password"]), nil
}

// Settings is called with an uncached reader as well.
func Settings(ctx context.Context, c client.Reader, namespace string) (map[string]string, error) {
	var config corev1.ConfigMap
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "settings"}, &config); err != nil {
		return nil, err
	}
	return config.Data, nil
}

// Unused is called by nobody.
func Unused(ctx context.Context, c client.Client, name string) error {
	return c.Get(ctx, client.ObjectKey{Name: name}, &corev1.Node{})
}

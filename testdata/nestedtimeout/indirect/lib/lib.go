// Package lib uses Kubernetes, and shows nothing of it.
package lib

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
)

// Touch reads an object.
func Touch(ctx context.Context, name string) error {
	cfg, err := config.GetConfig()
	if err != nil {
		return err
	}
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		return err
	}
	return c.Get(ctx, client.ObjectKey{Name: name}, &corev1.Pod{})
}

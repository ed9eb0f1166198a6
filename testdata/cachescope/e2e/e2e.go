// Package e2e makes managers for tests, in clusters with next to nothing in them.
package e2e

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func runWithSecret(ctx context.Context, cfg *rest.Config, key client.ObjectKey) error {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{})
	if err != nil {
		return err
	}
	return mgr.GetClient().Get(ctx, key, &corev1.Secret{})
}

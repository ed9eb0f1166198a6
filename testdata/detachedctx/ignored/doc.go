// Package ignored has functions with a context of their own that run calls under
// another.
package ignored

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Reconciler has what the cases need.
type Reconciler struct {
	client.Client
	kube  kubernetes.Interface
	cloud cloud
	probe func(ctx context.Context, url string) error
}

// cloud is somebody else's API, behind an interface.
type cloud interface {
	Describe(ctx context.Context, id string) (string, error)
}

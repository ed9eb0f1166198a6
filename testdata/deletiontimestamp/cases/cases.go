// Package cases reads the deletion timestamps of objects of all sorts.
package cases

import (
	"context"
	"time"

	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const grace = 5 * time.Minute

type reconciler struct {
	client.Client
	core kubernetes.Interface
	pods corelisters.PodLister

	terminating bool
}

func (r *reconciler) forceDelete(ctx context.Context, obj client.Object) error {
	return r.Delete(ctx, obj, client.GracePeriodSeconds(0))
}

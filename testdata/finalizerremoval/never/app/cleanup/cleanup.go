// Package cleanup removes finalizers.
package cleanup

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerremoval/never/app/api"
)

// Release removes the finalizer.
func Release(ctx context.Context, c client.Client, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, api.Removed)
	return c.Update(ctx, b)
}

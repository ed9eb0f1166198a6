// Package strict has a reconciler whose number of workers is not known.
package strict

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type remembers struct {
	client.Client
	seen map[string]bool
}

func (r *remembers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.seen[req.Name] = true // want `MaxConcurrentReconciles may be above one`
	return ctrl.Result{}, nil
}

// SetUp is told by options, in which there may be a number of workers.
func (r *remembers) SetUp(mgr manager.Manager, opts controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithOptions(opts).Complete(r)
}

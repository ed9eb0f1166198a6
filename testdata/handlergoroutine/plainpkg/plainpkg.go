// Package plainpkg reaches goroutines that a package starts which imports nothing
// of Kubernetes.
package plainpkg

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/handlergoroutine/plainpkg/notify"
)

type reconciler struct{}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	notify.Later(req.Name) // want `Later \(from Reconcile\) starts a goroutine \(notify/notify.go:\d+\) nobody waits for.*handlergoroutine/per-reconcile`
	notify.Now(req.Name, req.Namespace)
	return ctrl.Result{}, nil
}

// Package plain waits in a package that imports nothing of Kubernetes.
package plain

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/ctxdone/sleep/plain/poll"
)

type reconciler struct{ ready func() bool }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	poll.Settle() // want `sleeps for 10s.*poll/poll.go:\d+.*holds a worker.*ctxdone/sleep`
	if err := poll.Listen(ctx, r.ready); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

// steps does its work again until that succeeds.
type steps struct{ work func() error }

func (r *steps) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, poll.Retry(r.work) // want `ctxdone/sleep`
}

// Package suppressed has findings that somebody has looked at.
package suppressed

import (
	"context"
	"net/http"

	ctrl "sigs.k8s.io/controller-runtime"
)

type reconciler struct{}

func slow() { http.Get("http://example.com") }

// Reconcile has the comments that silence a finding.
func (reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	go slow() //nolint:handlergoroutine // ends within a second
	//lint:ignore handlergoroutine ends within a second
	go slow()
	go slow() //nolint:opvet
	return ctrl.Result{}, nil
}

package send

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Reconciler leaves goroutines behind, which handlergoroutine reports.
type Reconciler struct{ client.Client }

// Reconcile gives up waiting.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := make(chan error)
	go func() { result <- r.Get(ctx, req.NamespacedName, &v1.Backup{}) }()
	select {
	case err := <-result:
		return ctrl.Result{}, err
	case <-ctx.Done():
		return ctrl.Result{}, ctx.Err()
	case <-time.After(deadline()):
		return ctrl.Result{RequeueAfter: time.Minute}, nil
	}
}

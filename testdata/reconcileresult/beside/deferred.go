package beside

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What is deferred does not change the results.
type logs struct{ client.Client }

func (r *logs) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	defer func() { fmt.Println("done", req) }()
	b, err := r.load(ctx, req)
	if err != nil {
		return ctrl.Result{RequeueAfter: pause}, err // want `hygiene: .* \(3 returns\).*\(reconcileresult/result-with-error\)`
	}
	if b.Spec.Paused {
		owner, err := r.load(ctx, req)
		if err != nil && owner != nil {
			return ctrl.Result{RequeueAfter: pause}, err
		}
	}
	err = r.Update(ctx, b)
	if err != nil {
		fmt.Println(err.Error())
		return ctrl.Result{Requeue: true, RequeueAfter: pause}, err
	}
	return ctrl.Result{RequeueAfter: pause}, r.Status().Update(ctx, b)
}

func (r *logs) load(ctx context.Context, req ctrl.Request) (*v1.Backup, error) {
	b := &v1.Backup{}
	return b, r.Get(ctx, req.NamespacedName, b)
}

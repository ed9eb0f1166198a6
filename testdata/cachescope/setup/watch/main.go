// Command watch watches what the controllers of another package read.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/cachescope/setup/passed"
)

type settings struct{ client client.Client }

func (r *settings) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, client.IgnoreNotFound(r.client.Get(ctx, req.NamespacedName, &v1.Backup{}))
}

func main() {
	mgr, err := passed.New()
	if err != nil {
		panic(err)
	}
	err = ctrl.NewControllerManagedBy(mgr).Named("settings").For(&v1.Backup{}).
		Watches(&corev1.ConfigMap{}, &handler.EnqueueRequestForObject{}).
		Complete(&settings{client: mgr.GetClient()})
	if err != nil {
		panic(err)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}

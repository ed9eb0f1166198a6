// Package maker reaches one package without contexts through many functions: that
// is one cause.
package maker

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/detachedctx/maker/network"
)

type Reconciler struct {
	client.Client
	cloud *network.Client
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := attach(r.cloud, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err := detach(r.cloud, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, address(r.cloud, req.Name)
}

func attach(cloud *network.Client, name string) error { return cloud.Ports("attach/" + name) } // want `NewRequestWithContext \(network/network\.go:\d+\) and 3 more calls run under context\.TODO\(\); give package network and 3 functions here a context \(detachedctx/helper\)`

func detach(cloud *network.Client, name string) error { return cloud.Ports("detach/" + name) }

func address(cloud *network.Client, name string) error {
	if err := cloud.Addresses(name); err != nil {
		return err
	}
	return cloud.Addresses(name + "/floating")
}

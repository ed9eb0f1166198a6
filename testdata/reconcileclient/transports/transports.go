// Package transports has reconcilers that get their clients from one place: there
// it has to be mended, once.
package transports

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opvet/opvet/testdata/reconcileclient/transports/cloud"
)

type Machines struct{ secret *corev1.Secret }

func (r *Machines) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, cloud.Ask(ctx, r.secret) // want `hygiene: each Reconcile leaves a connection and two goroutines behind: it makes an http\.Transport \(cloud/cloud\.go:\d+, 3 calls\); make it once, or set IdleConnTimeout \(reconcileclient/transport\)`
}

type Networks struct{ secret *corev1.Secret }

func (r *Networks) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, cloud.Ask(ctx, r.secret) // has the same cause
}

type Volumes struct{ secret *corev1.Secret }

func (r *Volumes) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := cloud.Other(ctx, r.secret); err != nil { // want `hygiene: .*http\.Transport \(cloud/cloud\.go:\d+\); .*reconcileclient/transport`
		return ctrl.Result{}, err
	}
	if err := cloud.Limited(ctx, r.secret); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, cloud.Ask(ctx, r.secret)
}

// Pools asks in four ways, of which one leaves nothing behind.
type Pools struct{ secret *corev1.Secret }

func (r *Pools) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := cloud.Probe(ctx, r.secret.Name); err != nil { // want `hygiene: each Reconcile connects anew, and closes the connection with an answer that it has not read: it makes an http\.Transport .*reconcileclient/transport`
		return ctrl.Result{}, err
	}
	if err := cloud.ProbeHTTP2(ctx, r.secret.Name); err != nil { // want `hygiene: .*http\.Transport .*reconcileclient/transport`
		return ctrl.Result{}, err
	}
	if err := cloud.ProbeHead(ctx, r.secret.Name); err != nil { // want `hygiene: .*http\.Transport .*reconcileclient/transport`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, cloud.Decode(ctx, r.secret.Name) // want `hygiene: .*http\.Transport .*reconcileclient/transport`
}

// add starts them.
func add(mgr ctrl.Manager, secret *corev1.Secret) error {
	for _, r := range []reconcile.Reconciler{&Machines{secret}, &Networks{secret}, &Volumes{secret}, &Pools{secret}} {
		if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(r); err != nil {
			return err
		}
	}
	return nil
}

var _ = add

// Package agree makes clients through interfaces of another package.
package agree

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/reconcileclient/agree/dial"
)

type dials struct {
	config *rest.Config
	dialer dial.Dialer
}

// Both implementations make one.
func (r *dials) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	client, err := r.dialer.Dial(r.config) // want `reconcileclient/client`
	if err != nil {
		return ctrl.Result{}, err
	}
	_, err = client.CoreV1().Pods(req.Namespace).Get(ctx, req.Name, metav1.GetOptions{})
	return ctrl.Result{}, err
}

type keeps struct {
	config *rest.Config
	keeper dial.Keeper
}

// One of them keeps its client.
func (r *keeps) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	client, err := r.keeper.Client(r.config)
	if err != nil {
		return ctrl.Result{}, err
	}
	_, err = client.CoreV1().Pods(req.Namespace).Get(ctx, req.Name, metav1.GetOptions{})
	return ctrl.Result{}, err
}

// Package agree makes clients through interfaces of another package.
package agree

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/reconcileclient/agree/dial"
)

// Dials makes a client of a dialer each time.
type Dials struct {
	Config *rest.Config
	dialer dial.Dialer
}

// Reconcile gets a new one from both implementations.
func (r *Dials) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	client, err := r.dialer.Dial(r.Config) // want `reconcileclient/client`
	if err != nil {
		return ctrl.Result{}, err
	}
	_, err = client.CoreV1().Pods(req.Namespace).Get(ctx, req.Name, metav1.GetOptions{})
	return ctrl.Result{}, err
}

// Keeps asks for a client.
type Keeps struct {
	Config *rest.Config
	keeper dial.Keeper
}

// Reconcile may get one that is kept.
func (r *Keeps) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	client, err := r.keeper.Client(r.Config)
	if err != nil {
		return ctrl.Result{}, err
	}
	_, err = client.CoreV1().Pods(req.Namespace).Get(ctx, req.Name, metav1.GetOptions{})
	return ctrl.Result{}, err
}

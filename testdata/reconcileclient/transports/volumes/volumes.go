// Package volumes asks the same cloud: the place to mend is the one that another package's
// finding names.
package volumes

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/reconcileclient/transports/cloud"
)

type Snapshots struct{ secret *corev1.Secret }

func (r *Snapshots) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := cloud.Ask(ctx, r.secret); err != nil { // want `hygiene: .*http\.Transport \(cloud/cloud\.go:\d+\); .*reconcileclient/transport`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, cloud.Upload(ctx, r.secret) // want `hygiene: .*http\.Transport \(cloud/cloud\.go:\d+\); .*reconcileclient/transport`
}

func add(mgr ctrl.Manager, secret *corev1.Secret) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Pod{}).Complete(&Snapshots{secret})
}

var _ = add

// Package dropped has the cases of statusupdate/dropped-by-update: the status
// is changed and then sent to the main endpoint, which ignores it.
package dropped

import (
	"context"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// reconciler embeds its client, as kubebuilder scaffolds it.
type reconciler struct {
	client.Client
	apiReader client.Reader
}

// controller has its clients in fields.
type controller struct {
	kube    client.Client
	core    kubernetes.Interface
	example exampleclient.Interface
	dynamic dynamic.Interface
}

// backup is another name for the kind.
type backup = v1.Backup

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var b v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.start(ctx, &b)
}

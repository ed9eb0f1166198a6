// Command unrecorded has a recorder that nobody records with.
package main

import (
	"context"
	"os"

	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch

// Reconciler is to record events some day.
type Reconciler struct {
	client.Client
	Recorder events.EventRecorder
}

// Reconcile reads what it is for.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, client.IgnoreNotFound(r.Get(ctx, req.NamespacedName, new(v1.Backup)))
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	r := &Reconciler{Client: mgr.GetClient()}
	r.Recorder = mgr.GetEventRecorder("unrecorded")
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}

// Command off elects a leader only with a flag that no manifest of the project gives.
package main

import (
	"context"
	"flag"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch

type config struct{ elects bool }

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, client.IgnoreNotFound(r.Get(ctx, req.NamespacedName, &v1.Backup{}))
}

func main() {
	var c config
	flag.BoolVar(&c.elects, "elects-when-asked", false, "elect a leader")
	flag.Parse()
	if err := serve(&c); err != nil {
		os.Exit(1)
	}
}

func serve(c *config) error {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: c.elects, LeaderElectionID: "off"})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&reconciler{mgr.GetClient()}); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

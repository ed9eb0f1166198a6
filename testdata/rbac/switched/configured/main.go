// Command configured elects a leader only if a file says so, which nobody sees.
package main

import (
	"context"
	"encoding/json"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch

type config struct{ Elects bool }

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, client.IgnoreNotFound(r.Get(ctx, req.NamespacedName, &v1.Backup{}))
}

func main() {
	c := config{Elects: false}
	if data, err := os.ReadFile("/etc/config.json"); err != nil || json.Unmarshal(data, &c) != nil {
		os.Exit(1)
	}
	if err := serve(&c); err != nil {
		os.Exit(1)
	}
}

func serve(c *config) error {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: c.Elects, LeaderElectionID: "configured"})
	if err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&reconciler{mgr.GetClient()}); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

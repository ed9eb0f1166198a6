// Command cmd puts the program together.
package main

import (
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/legacy/rbac/controller"
)

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: true, LeaderElectionID: "legacy"})
	if err != nil {
		os.Exit(1)
	}
	if err := (&controller.Reconciler{Client: mgr.GetClient()}).SetupWithManager(mgr); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}

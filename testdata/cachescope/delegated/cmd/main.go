// Command cmd runs controllers that delegates begin.
package main

import (
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachescope/delegated/certs"
)

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{}) // want `load: every v1.ConfigMap of the cluster is kept in memory for reads at certs/certs.go:\d+; use mgr.GetAPIReader\(\) or Client.Cache.DisableFor`
	if err != nil {
		os.Exit(1)
	}
	if err := certs.New(mgr.GetClient()).Setup(mgr); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}

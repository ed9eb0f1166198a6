// Command cmd gets its manager from another package.
package main

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachescope/setup/controllers"
	"github.com/opvet/opvet/testdata/cachescope/setup/manager"
)

func main() {
	mgr, err := manager.New() // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at controllers/controllers\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		panic(err)
	}
	for _, add := range controllers.AddToManager {
		if err := add(mgr); err != nil {
			panic(err)
		}
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}

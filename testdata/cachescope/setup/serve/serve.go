// Package serve gets its manager from another package and keeps it: nobody adds a
// controller to it elsewhere.
package serve

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachescope/setup/controllers"
	"github.com/opvet/opvet/testdata/cachescope/setup/manager"
)

// Run serves until it is told to stop.
func Run() error {
	mgr, err := manager.New() // want `^load: every v1\.ConfigMap of the cluster is kept in memory for reads at controllers/controllers\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		return err
	}
	for _, add := range controllers.AddToManager {
		if err := add(mgr); err != nil {
			return err
		}
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

// Package made gets its manager from an interface of another package.
package made

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachescope/setup/controllers"
	"github.com/opvet/opvet/testdata/cachescope/setup/manager"
)

// Run serves until it is told to stop.
func Run(m manager.Maker) error {
	mgr, err := m.Make() // want `^load: every v1\.ConfigMap of the cluster .*cachescope/hidden-informer`
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

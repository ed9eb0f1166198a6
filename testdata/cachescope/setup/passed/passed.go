// Package passed gets a manager from another package, adds controllers that read
// ConfigMaps, and hands it on: what is watched besides, only the next one knows.
package passed

import (
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opvet/opvet/testdata/cachescope/setup/controllers"
	managers "github.com/opvet/opvet/testdata/cachescope/setup/manager"
)

// New returns a manager with the controllers of the module.
func New() (manager.Manager, error) {
	mgr, err := managers.NewShared()
	if err != nil {
		return nil, err
	}
	for _, add := range controllers.AddToManager {
		if err := add(mgr); err != nil {
			return nil, err
		}
	}
	return mgr, nil
}

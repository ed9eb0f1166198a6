// Command cmd puts a program together whose reconcilers lie in other packages.
package main

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachescope/app/controllers"
)

// setupper is what all reconcilers are.
type setupper interface {
	SetupWithManager(mgr ctrl.Manager) error
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory for reads at helpers/helpers\.go:\d+.*cachescope/hidden-informer`
	if err != nil {
		panic(err)
	}
	base := controllers.Base{Client: mgr.GetClient(), Live: mgr.GetAPIReader()}
	for _, s := range []setupper{&controllers.Backup{Base: base}, &controllers.Restore{Base: base}} {
		if err := s.SetupWithManager(mgr); err != nil {
			panic(err)
		}
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}

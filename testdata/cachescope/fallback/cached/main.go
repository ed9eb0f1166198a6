// Package main has no reader for the controller.
package main

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachescope/fallback/controllers"
)

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{}) // want `^load: every v1\.Secret of the cluster is kept in memory`
	if err != nil {
		panic(err)
	}
	r := &controllers.Reconciler{Client: mgr.GetClient()}
	if err := r.SetUp(mgr); err != nil {
		panic(err)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}

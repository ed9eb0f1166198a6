// Package main has the pods watched.
package main

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachescope/optional/controllers"
)

func main() {
	options := controllers.Options{WatchPods: true}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{}) // want `^load: every v1\.Pod of the cluster is kept in memory, although the watch at .*cachescope/predicate-filter`
	if err != nil {
		panic(err)
	}
	if err := controllers.SetUp(mgr, options); err != nil {
		panic(err)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}

// Package main has them watched if a flag is given.
package main

import (
	"flag"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/cachescope/optional/controllers"
)

func main() {
	var options controllers.Options
	flag.BoolVar(&options.WatchPods, "watch-pods", false, "watch pods")
	flag.Parse()
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

// Command alike gets its manager from one of two that are alike.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/cachescope/agreeing/makers"
)

func main() {
	mgr, err := makers.Of(os.Getenv("ID")).MakeManager(ctrl.GetConfigOrDie()) // want `load: every v1\.Secret of the cluster is kept in memory for reads at alike/main\.go:\d+`
	if err != nil {
		os.Exit(1)
	}
	if err := mgr.GetClient().Get(context.Background(), client.ObjectKey{Name: "a"}, &corev1.Secret{}); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}

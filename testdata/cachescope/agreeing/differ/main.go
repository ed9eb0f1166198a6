// Command differ gets its manager from one of two that are not alike: right, as far as can
// be told.
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
	mgr, err := makers.Limited(os.Getenv("ALL") == "").LimitedManager(ctrl.GetConfigOrDie())
	if err != nil {
		os.Exit(1)
	}
	if err := mgr.GetClient().Get(context.Background(), client.ObjectKey{Name: "a"}, &corev1.Secret{}); err != nil {
		os.Exit(1)
	}
}

// Command manager serves until it is told to stop.
package main

import (
	"context"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opvet/opvet/testdata/settled/shared"
)

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	err = mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		shared.Both(ctx)
		return shared.Served(ctx)
	}))
	if err != nil || mgr.Start(ctrl.SetupSignalHandler()) != nil {
		os.Exit(1)
	}
}

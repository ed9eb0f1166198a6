// Command cmd puts the program together.
package main

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerremoval/never/app/cleanup"
	"github.com/opvet/opvet/testdata/finalizerremoval/never/app/controllers"
)

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{}) // want `each Backup stays Terminating: finalizer "example\.opvet\.dev/app-forgotten" is added at controllers\.go:\d+ and never removed.*\(finalizerremoval/never-removed\)`
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	_ = controllers.Ensure(ctx, mgr.GetClient(), &v1.Backup{})
	_ = cleanup.Release(ctx, mgr.GetClient(), &v1.Backup{})
}

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
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{}) // want `"example.opvet.dev/app-forgotten" is added to \*v1.Backup at controllers.go:\d+, and nothing in this program removes it.*\(finalizerremoval/never-removed\)`
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	_ = controllers.Ensure(ctx, mgr.GetClient(), &v1.Backup{})
	_ = cleanup.Release(ctx, mgr.GetClient(), &v1.Backup{})
}

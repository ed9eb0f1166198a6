// Command manager serves until it is told to stop.
package main

import (
	"context"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/opvet/opvet/testdata/settled/behind"
	"github.com/opvet/opvet/testdata/settled/shared"
)

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	err = mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		if err := shared.AtStart(ctx); err != nil {
			return err
		}
		go shared.Monitored(ctx)
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			shared.Both(ctx)
			asks(ctx, &behind.Registry{}, behind.Table{})
			if err := shared.Served(ctx); err != nil {
				ctrl.Log.Error(err, "the call failed")
			}
		}, time.Minute)
		return nil
	}))
	if err != nil || mgr.Start(ctrl.SetupSignalHandler()) != nil {
		os.Exit(1)
	}
}

func asks(ctx context.Context, registry shared.Registry, table shared.Table) {
	madeUp := context.Background()
	if err := shared.MadeUp(madeUp); err != nil {
		ctrl.Log.Error(err, "the call under a made-up context failed")
	}
	if _, err := shared.Behind(ctx, registry); err != nil {
		ctrl.Log.Error(err, "no tags")
	}
	if _, err := shared.InMemory(ctx, table); err != nil {
		ctrl.Log.Error(err, "no rows")
	}
	if err := shared.WithHelper(ctx, registry, table); err != nil {
		ctrl.Log.Error(err, "no answer")
	}
}

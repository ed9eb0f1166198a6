// Package watcher starts a watcher for each object, and stops it with the object.
package watcher

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/opvet/opvet/testdata/handlergoroutine/watcher/poll"
)

type reconciler struct{ running map[string]poll.Watcher }

func (r *reconciler) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	if known, ok := r.running[req.Name]; ok {
		known.Stop()
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := poll.New(ctx, cancel)
	r.running[req.Name] = w
	return ctrl.Result{}, w.Start()
}

// forgetful does not stop what it has started before.
type forgetful struct{ running map[string]poll.Watcher }

func (r *forgetful) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithCancel(context.Background())
	w := poll.New(ctx, cancel)
	r.running[req.Name] = w
	return ctrl.Result{}, w.Start() // want `^leak: Start \(from Reconcile\) starts a goroutine \(poll/poll\.go:\d+\) that never ends`
}

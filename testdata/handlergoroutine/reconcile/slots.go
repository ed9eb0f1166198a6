package reconcile

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// running has a slot for each job that may run at a time.
var running = make(chan int, 2)

// events are handed to somebody else.
var events = make(chan string, 100)

type slotReconciler struct{}

// Whether a slot is free is asked before, and the goroutine takes it.
func (r *slotReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if len(running) >= cap(running) {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	go func() {
		running <- 1
		defer func() { <-running }()
		time.Sleep(time.Minute)
	}()
	return ctrl.Result{}, nil
}

type crowdedReconciler struct{}

// How full another channel is bounds nothing.
func (r *crowdedReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if len(events) > 0 {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	go func() { // want `Reconcile starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines.*handlergoroutine/per-reconcile`
		time.Sleep(time.Minute)
	}()
	return ctrl.Result{}, nil
}

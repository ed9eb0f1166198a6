package mistakes

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// endless is told to stop, and its workers do not hear of it.
type endless struct {
	queue workqueue.TypedInterface[string]
}

func newEndless() *endless {
	return &endless{queue: workqueue.NewTyped[string]()}
}

// newEndlessAgain fills the same field: once is enough.
func newEndlessAgain() *endless { return &endless{queue: workqueue.NewTyped[string]()} }

func (e *endless) Run(ctx context.Context) {
	go wait.UntilWithContext(ctx, e.work, time.Second) // want `hygiene: the workers of queue wait in Get forever when told to stop: nothing calls ShutDown; defer it in endless\.Run \(workqueue/no-shutdown\)`
	<-ctx.Done()
}

func (e *endless) work(context.Context) {
	for {
		key, quit := e.queue.Get()
		if quit {
			return
		}
		println(key)
		e.queue.Done(key)
	}
}

// some shuts one queue down, forgets another, and a third was never made.
type some struct {
	added, updated, deleted, checked workqueue.TypedInterface[string]
}

func newSome() *some {
	return &some{added: workqueue.NewTyped[string](), updated: workqueue.NewTyped[string](), deleted: workqueue.NewTyped[string]()}
}

func (s *some) Run(stop <-chan struct{}) {
	defer s.shutdown()
	go wait.Until(s.work, time.Second, stop)
	<-stop
}

func (s *some) shutdown() {
	s.added.ShutDown()   // want `hygiene: the workers of updated and deleted wait in Get forever after the end: some\.shutdown shuts down other queues only.*workqueue/no-shutdown`
	s.checked.ShutDown() // want `crash: s\.checked\.ShutDown panics: nothing ever sets checked.*workqueue/no-shutdown`
}

func (s *some) work() {
	for next(s.added) && next(s.updated) && next(s.deleted) {
	}
}

// oneOfTwo shuts one queue down, and waits for the workers of both.
type oneOfTwo struct {
	added, deleted workqueue.TypedInterface[string]
}

func newOneOfTwo() *oneOfTwo {
	return &oneOfTwo{added: workqueue.NewTyped[string](), deleted: workqueue.NewTyped[string]()}
}

func (o *oneOfTwo) Run(ctx context.Context) {
	var workers sync.WaitGroup
	workers.Add(2)
	go func() {
		defer workers.Done()
		for next(o.added) {
		}
	}()
	go func() {
		defer workers.Done()
		for next(o.deleted) {
		}
	}()
	<-ctx.Done()
	o.added.ShutDown() // want `stuck: the workers of deleted wait in Get forever after the end: oneOfTwo\.Run shuts down other queues only.*workqueue/no-shutdown`
	workers.Wait()
}

func next(queue workqueue.TypedInterface[string]) bool {
	key, quit := queue.Get()
	if quit {
		return false
	}
	defer queue.Done(key)
	println(key)
	return true
}

// inRun makes its queue for each run.
func inRun(ctx context.Context) {
	queue := workqueue.NewTyped[string]() // want `hygiene: .*no-shutdown`
	go func() {
		for next(queue) {
		}
	}()
	<-ctx.Done()
}

// awaited waits for its workers when it is told to stop, in vain.
func awaited(ctx context.Context) {
	queue := workqueue.NewTyped[string]() // want `stuck: the workers of a queue wait.*no-shutdown`
	var workers sync.WaitGroup
	workers.Add(1)
	go func() {
		defer workers.Done()
		for next(queue) {
		}
	}()
	<-ctx.Done()
	workers.Wait()
}

// runnable keeps the manager waiting.
type runnable struct {
	queue workqueue.TypedInterface[string]
}

func newRunnable() *runnable {
	return &runnable{queue: workqueue.NewTyped[string]()}
}

var _ manager.Runnable = &runnable{}

func (r *runnable) Start(context.Context) error {
	for next(r.queue) { // want `stuck: the workers of queue wait.*no-shutdown`
	}
	return nil
}

// perEvent starts a worker for each event.
func perEvent(ctx context.Context, informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { serve(ctx) }})
	return err
}

func serve(ctx context.Context) {
	queue := workqueue.NewTyped[string]() // want `leak: the workers of a queue wait.*no-shutdown`
	go func() {
		for next(queue) {
		}
	}()
	_ = ctx.Err()
}

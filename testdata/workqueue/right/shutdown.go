package right

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/workqueue/helpers/lib"
)

func next(queue workqueue.TypedInterface[string]) bool {
	key, quit := queue.Get()
	if quit {
		return false
	}
	defer queue.Done(key)
	println(key)
	return true
}

// stops has a method that main calls.
type stops struct {
	queue   workqueue.TypedInterface[string]
	drained workqueue.TypedInterface[string]
	always  workqueue.TypedInterface[string]
}

func newStops() *stops {
	return &stops{queue: workqueue.NewTyped[string](), drained: workqueue.NewTyped[string](), always: workqueue.NewTyped[string]()}
}

func (s *stops) Run(ctx context.Context) {
	go wait.UntilWithContext(ctx, s.work, time.Second)
	context.AfterFunc(ctx, s.always.ShutDown)
	<-ctx.Done()
	s.drained.ShutDownWithDrain()
}

func (s *stops) Stop() { s.queue.ShutDown() }

func (s *stops) work(context.Context) {
	for next(s.queue) && next(s.drained) && next(s.always) {
	}
}

// inGoroutine shuts it down when it is told to.
func inGoroutine(ctx context.Context) {
	queue := workqueue.NewTyped[string]()
	go func() {
		<-ctx.Done()
		queue.ShutDown()
	}()
	for next(queue) {
	}
}

// all shuts down what is in a list.
func all(ctx context.Context) {
	queues := []workqueue.TypedInterface[string]{workqueue.NewTyped[string](), workqueue.NewTyped[string]()}
	for _, queue := range queues {
		go next(queue)
	}
	<-ctx.Done()
	for _, queue := range queues {
		queue.ShutDown()
	}
}

// byHelper leaves it to a helper in another package.
func byHelper(ctx context.Context) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer lib.Stop(queue)
	go func() {
		for {
			key, quit := queue.Get()
			if quit {
				return
			}
			lib.Succeeded(queue, key)
		}
	}()
	<-ctx.Done()
}

// forEver works as long as the process lives, and is told by nobody to stop.
func forEver() {
	queue := workqueue.NewTyped[string]()
	go wait.Forever(func() { next(queue) }, time.Second)
}

// listener is started by a function that is told to stop, but nobody tells it.
type listener struct {
	queue workqueue.TypedInterface[string]
}

func newListener() *listener { return &listener{queue: workqueue.NewTyped[string]()} }

func (l *listener) listen() {
	go func() {
		for next(l.queue) {
		}
	}()
}

func runListener(ctx context.Context) {
	newListener().listen()
	<-ctx.Done()
}

// drains takes off what there is, and does not wait for more.
func drains(ctx context.Context) {
	queue := workqueue.NewTyped[string]()
	go func() {
		for ctx.Err() == nil {
			for queue.Len() > 0 {
				key, _ := queue.Get()
				queue.Done(key)
			}
			time.Sleep(time.Second)
		}
	}()
	queue.Add("key")
}

// handed gives its queue to somebody else's code.
func handed(ctx context.Context, run func(context.Context, workqueue.TypedInterface[string])) {
	queue := workqueue.NewTyped[string]()
	go func() {
		for next(queue) {
		}
	}()
	run(ctx, queue)
}

// optional makes its queue if it is wanted.
type optional struct {
	queue workqueue.TypedInterface[string]
}

func (o *optional) enable() { o.queue = workqueue.NewTyped[string]() }

func (o *optional) run(ctx context.Context) {
	if o.queue == nil {
		return
	}
	defer o.queue.ShutDown()
	go next(o.queue)
	<-ctx.Done()
}

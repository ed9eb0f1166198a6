package sleep

import (
	"context"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// controller takes keys off a queue.
type controller struct {
	queue workqueue.TypedRateLimitingInterface[string]
	ready func(key string) bool
}

func (c *controller) next() bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(key); err != nil {
		c.queue.AddRateLimited(key)
	}
	return true
}

// sync waits for its own write to come back: it has no context, but holds the
// worker.
func (c *controller) sync(key string) error {
	for range 10 {
		if c.ready(key) {
			return nil
		}
		time.Sleep(time.Second) // want `sleeps for 1s in each round of a loop in a workqueue worker: a worker is held all the while \(reached by workqueue worker next \(entries.go:\d+\) → sync\); return and put the key back, with AddAfter`
	}
	return c.delayed()
}

// delayed is a poor man's requeue.
func (c *controller) delayed() error {
	time.Sleep(2 * time.Second) // want `sleeps for 2s in a workqueue worker: .* → sync → delayed`
	return errNotReady
}

// handlers lets all events wait.
func handlers(c *controller) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			time.Sleep(time.Second) // want `sleeps for 1s in an event handler: all events that follow wait for it \(it stands in AddFunc \(entries.go:\d+\)\); put the key into a workqueue, with AddAfter`
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
				c.queue.Add(key)
			}
		},
	}
}

// serve lets the clients wait.
func serve(mux *http.ServeMux) {
	mux.HandleFunc("/retry", func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			time.Sleep(5 * time.Second) // want `sleeps for 5s in each round of a loop in an HTTP handler and does not notice that r.Context\(\) has ended: the requests of clients that have gone pile up`
		}
		w.WriteHeader(http.StatusAccepted)
	})
}

// wrapped is a handler of a framework.
func wrapped(w http.ResponseWriter, r *http.Request) error {
	time.Sleep(5 * time.Second) // want `sleeps for 5s and does not notice that r.Context\(\) has ended: the requests of clients that have gone pile up`
	return nil
}

// validator is an admission webhook.
type validator struct{}

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	time.Sleep(2 * time.Second) // want `sleeps for 2s in an admission handler and does not notice that ctx has ended: the API server gives up, and the requests pile up here`
	return admission.Allowed("")
}

// monitor is run by the manager.
type monitor struct{ probe func() bool }

func (m *monitor) Start(ctx context.Context) error {
	m.await()
	<-ctx.Done()
	return nil
}

func (m *monitor) await() {
	for !m.probe() {
		time.Sleep(5 * time.Second) // want `sleeps for 5s in each round of a loop and does not notice that ctx of Start has ended: shutdown waits for it \(reached by Start \(entries.go:\d+\) → await`
	}
}

// poller is a watch that lists.
type poller struct {
	ctx    context.Context
	events chan watch.Event
	list   func(context.Context)
}

func (p *poller) Stop() {}

// ResultChan starts a goroutine each time that a reflector reconnects.
func (p *poller) ResultChan() <-chan watch.Event {
	go func() {
		time.Sleep(10 * time.Second) // want `sleeps for 10s in a goroutine and does not notice that p.ctx has ended: it goes on with its work after shutdown \(started by ResultChan`
		p.list(p.ctx)
	}()
	return p.events
}

// framework is the request of a web framework.
type framework struct{ Request *http.Request }

// served lets its client wait.
func served(req *framework, ready func() bool) {
	for range 20 {
		if ready() {
			return
		}
		time.Sleep(time.Second) // want `sleeps for 1s in each round of a loop and does not notice that req.Request.Context\(\) has ended: the requests of clients that have gone pile up`
	}
}

// builder only makes a request: not a finding.
func builder(f *framework) { time.Sleep(100 * time.Millisecond) }

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
		time.Sleep(time.Second) // want `sync \(from next\) sleeps for up to 10s in a loop and holds a worker; return and put the key back with AddAfter`
	}
	if err := c.twice(key); err != nil {
		return err
	}
	return c.delayed()
}

// twice waits in two places for one reason.
func (c *controller) twice(key string) error {
	deadline := time.Now().Add(2 * time.Minute)
	for {
		if !c.ready(key) && time.Now().Before(deadline) {
			time.Sleep(5 * time.Second) // want `twice \(from next\) sleeps for 5s in each round of a loop and holds a worker`
			continue
		}
		if c.ready(key) || time.Now().After(deadline) {
			return nil
		}
		time.Sleep(5 * time.Second) // the same again
	}
}

// delayed is a poor man's requeue.
func (c *controller) delayed() error {
	time.Sleep(2 * time.Second) // want `delayed \(from next\) sleeps for 2s and holds a worker`
	return errNotReady
}

// handlers lets all events wait.
func handlers(c *controller) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			time.Sleep(time.Second) // want `AddFunc sleeps for 1s and all later events wait; put the key into a workqueue with AddAfter`
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
			time.Sleep(5 * time.Second) // want `HTTP handler sleeps for up to 15s in a loop and requests pile up`
		}
		w.WriteHeader(http.StatusAccepted)
	})
}

// wrapped is a handler of a framework.
func wrapped(w http.ResponseWriter, r *http.Request) error {
	time.Sleep(5 * time.Second) // want `wrapped sleeps for 5s and ignores r\.Context\(\): requests pile up`
	return nil
}

// validator is an admission webhook.
type validator struct{}

func (v *validator) Handle(ctx context.Context, req admission.Request) admission.Response {
	time.Sleep(2 * time.Second) // want `Handle sleeps for 2s while the API server gives up on the request`
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
		time.Sleep(5 * time.Second) // want `await sleeps for 5s in each round of a loop and ignores ctx of Start: shutdown waits for it`
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
		time.Sleep(10 * time.Second) // want `hygiene: this goroutine sleeps for 10s and ignores p\.ctx: it goes on after shutdown`
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
		time.Sleep(time.Second) // want `hygiene: served sleeps for up to 20s in a loop and ignores req\.Request\.Context\(\): requests pile up`
	}
}

// builder only makes a request: not a finding.
func builder(f *framework) { time.Sleep(100 * time.Millisecond) }

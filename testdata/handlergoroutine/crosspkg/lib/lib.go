// Package lib has helpers that the cases call from another package. Nothing
// is reported here: nothing here is an entry point.
package lib

import (
	"context"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func slow(name string) {
	if resp, err := http.Get("http://example.com/" + name); err == nil {
		resp.Body.Close()
	}
}

// Recorder has one implementation in this package.
type Recorder interface {
	Remove(name string)
}

// Server is a metrics server.
type Server struct{ values map[string]int }

// Remove waits for the last scrape.
func (s *Server) Remove(name string) {
	go func() {
		time.Sleep(time.Minute)
		delete(s.values, name)
	}()
}

// Configure starts the work in two steps.
func Configure(name string) { configure(name) }

func configure(name string) { go slow(name) }

// ConfigureLater is the same in one step.
func ConfigureLater(name string) { go slow(name) }

// Hold keeps the pod.
func Hold(pod *corev1.Pod) {
	go func() {
		time.Sleep(time.Hour)
		slow(pod.Name)
	}()
}

// Heartbeat ends with its context.
func Heartbeat(ctx context.Context, name string) {
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				slow(name)
			}
		}
	}()
}

// All waits for what it starts.
func All(names []string) {
	var group sync.WaitGroup
	for _, name := range names {
		group.Go(func() { slow(name) })
	}
	group.Wait()
}

// In leaves the waiting to its caller.
func In(group *sync.WaitGroup, name string) {
	group.Go(func() { slow(name) })
}

// Monitor is stopped by whoever has it.
type Monitor struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// NewMonitor starts a monitor.
func NewMonitor() *Monitor {
	ctx, cancel := context.WithCancel(context.Background())
	m := &Monitor{ctx: ctx, cancel: cancel}
	go m.run()
	return m
}

func (m *Monitor) run() {
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-time.After(time.Second):
			slow("monitor")
		}
	}
}

// Close stops it.
func (m *Monitor) Close() { m.cancel() }

// OnAdd registers the function.
func OnAdd(informer cache.SharedIndexInformer, added func(obj any)) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: added})
}

// Each calls visit for each name before it returns.
func Each(names []string, visit func(string)) {
	for _, name := range names {
		visit(name)
	}
}

// Background runs work in a goroutine of its own.
func Background(work func()) {
	go func() {
		time.Sleep(time.Second)
		work()
	}()
}

// RunWorker takes items off the queue for sync.
func RunWorker(ctx context.Context, queue workqueue.TypedRateLimitingInterface[string], sync func(string) error) {
	for next(queue, sync) {
	}
}

func next(queue workqueue.TypedRateLimitingInterface[string], sync func(string) error) bool {
	item, shutdown := queue.Get()
	if shutdown {
		return false
	}
	err := func() error {
		defer queue.Done(item)
		return sync(item)
	}()
	if err != nil {
		queue.AddRateLimited(item)
	}
	return true
}

// Pump works until it is stopped.
type Pump struct {
	stop chan struct{}
	name string
}

// Start begins it.
func (p *Pump) Start() {
	p.stop = make(chan struct{})
	go p.run()
}

func (p *Pump) run() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			slow(p.name)
		}
	}
}

// Stop ends it.
func (p *Pump) Stop() { close(p.stop) }

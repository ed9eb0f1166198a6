// Package reconcile has goroutines that reconcilers start.
package reconcile

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Reconciler has what the cases need.
type Reconciler struct {
	client.Client
	recorder record.EventRecorder
	queue    workqueue.TypedRateLimitingInterface[string]
	events   chan string

	stop     chan struct{}
	group    sync.WaitGroup
	enabled  bool
	notifier notifier
	work     func(name string)

	mu       sync.Mutex
	running  map[string]bool
	cancels  map[string]context.CancelFunc
	monitors map[string]*monitor
	started  bool
	state    int
	once     sync.Once
	busy     atomic.Bool
	seen     sync.Map
	known    sets.Set[string]
	watcher  *monitor
	slots    chan struct{}
	weighted *semaphore.Weighted
	pool     errgroup.Group
	cancel   context.CancelFunc
	loopCtx  context.Context
	previous *loop
	timer    *time.Timer
	progress map[string]string
}

// notifier has one implementation in this package.
type notifier interface {
	notify(name string)
}

type slowNotifier struct{ client http.Client }

// slow is work of unknown length, without a context.
func slow(name string) error {
	resp, err := http.Get("http://example.com/" + name)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// slowWith is work of unknown length that ends with its context.
func slowWith(ctx context.Context, name string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://example.com/"+name, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func provision(b *v1.Backup) { _ = slow(b.Name) }

// monitor watches one object until it is closed.
type monitor struct {
	ctx    context.Context
	cancel context.CancelFunc
}

func newMonitor(name string) *monitor {
	ctx, cancel := context.WithCancel(context.Background())
	m := &monitor{ctx: ctx, cancel: cancel}
	go m.loop(name)
	return m
}

func (m *monitor) loop(name string) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-ticker.C:
			_ = slow(name)
		}
	}
}

// Close ends the monitor.
func (m *monitor) Close() { m.cancel() }

// loop is a goroutine that can be stopped and awaited.
type loop struct{ stop, stopped chan struct{} }

func (l *loop) run(name string) {
	defer close(l.stopped)
	for {
		select {
		case <-l.stop:
			return
		case <-time.After(time.Second):
			_ = slow(name)
		}
	}
}

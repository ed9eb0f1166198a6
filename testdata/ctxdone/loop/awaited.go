package loop

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/util/workqueue"
)

// scraper waits for its goroutine when it is stopped.
type scraper struct {
	stop, done chan struct{}
	period     time.Duration
}

func (s *scraper) start() {
	s.stop, s.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(s.done)
		ticker := time.NewTicker(s.period)
		defer ticker.Stop()
		for range ticker.C { // want `stuck: Stop \(line 36\) waits forever: nothing ends this loop, not even s\.stop; wait in a select with s\.stop`
			work()
		}
	}()
}

func (s *scraper) running() bool { return s.done != nil }

// Stop hangs.
func (s *scraper) Stop() {
	if s.running() {
		close(s.stop)
		<-s.done
	}
}

// workers are waited for when their queue is shut down.
func workers(ctx context.Context, queue workqueue.TypedInterface[string], n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				for takeOne(queue) { // want `stuck: workers \(line 55\) waits forever: nothing ends this loop, not even ctx of what starts it; return when ctx\.Err\(\) is not nil`
				}
			}
		}()
	}
	<-ctx.Done()
	queue.ShutDown()
	wg.Wait()
}

func takeOne(queue workqueue.TypedInterface[string]) bool {
	key, quit := queue.Get()
	if quit {
		return false
	}
	defer queue.Done(key)
	work()
	return true
}

// RunAll leaves the waiting to whoever gave it the group.
func RunAll(stopCh <-chan struct{}, wg *sync.WaitGroup) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		for { // want `stuck: whoever waits for wg waits forever: nothing ends this loop, not even stopCh`
			work()
			time.Sleep(time.Second)
		}
	}()
	<-stopCh
}

// grouped waits for a group of which one never returns; the case leaves only the select.
func grouped(ctx context.Context, tick <-chan time.Time) error {
	var g errgroup.Group
	g.Go(func() error {
		for {
			select {
			case <-ctx.Done(): // want `stuck: grouped \(line 94\) waits forever: once the context has ended this loop spins`
				break
			case <-tick:
				work()
			}
		}
	})
	return g.Wait()
}

// lastRound does its work once more after the end.
func lastRound(ctx context.Context, tick <-chan time.Time) error {
	var g errgroup.Group
	g.Go(func() error {
		done := false
		for {
			select {
			case <-ctx.Done():
				done = true
			case <-tick:
				work()
				if done {
					return nil
				}
			}
		}
	})
	return g.Wait()
}

// resets sets an error that is asked for behind the select, and is the same as before it.
func resets(ctx context.Context, events <-chan error) error {
	var g errgroup.Group
	g.Go(func() error {
		var err error
		for {
			select {
			case <-ctx.Done(): // want `stuck: resets .* waits forever: once the context has ended this loop spins`
				err = nil
			case err = <-events:
				work()
			}
			if err != nil {
				return err
			}
		}
	})
	return g.Wait()
}

// nextEvent asks for its flag at an event, which need not come any more.
func nextEvent(ctx context.Context, events <-chan error) error {
	var g errgroup.Group
	g.Go(func() error {
		done := false
		for {
			select {
			case <-ctx.Done(): // want `stuck: nextEvent .* waits forever: once the context has ended this loop spins`
				done = true
			case <-events:
				if done {
					return nil
				}
			}
		}
	})
	return g.Wait()
}

// prober has the loop in a method, and its end is told by what calls that.
type prober struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Start begins.
func (p *prober) Start() {
	p.wg.Add(1)
	go p.run()
}

func (p *prober) run() {
	defer func() {
		work()
		p.wg.Done()
	}()
	p.loop()
}

func (p *prober) loop() {
	for { // want `stuck: Stop \(line 187\) waits forever: nothing ends this loop, not even p\.ctx`
		work()
		time.Sleep(time.Minute)
	}
}

// Stop hangs.
func (p *prober) Stop() {
	p.cancel()
	p.wg.Wait()
}

// begun waits until the goroutine has begun, and not for its end.
func begun(ctx context.Context) {
	var wg sync.WaitGroup
	ready := make(chan struct{})
	wg.Add(1)
	go func() {
		wg.Done()
		close(ready)
		for { // want `hygiene: this goroutine outlives what started it: nothing ends this loop, not even ctx`
			work()
			time.Sleep(time.Minute)
		}
	}()
	wg.Wait()
	<-ready
	<-ctx.Done()
}

// patient waits for some time only.
func patient(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for { // want `hygiene: this goroutine outlives what started it: nothing ends this loop, not even ctx`
			work()
			time.Sleep(time.Minute)
		}
	}()
	<-ctx.Done()
	all := make(chan struct{})
	go func() {
		wg.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(10 * time.Second):
	}
}

// others waits for another goroutine.
func others(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		<-ctx.Done()
	}()
	go func() {
		for { // want `hygiene: this goroutine outlives what started it: nothing ends this loop, not even ctx`
			work()
			time.Sleep(time.Minute)
		}
	}()
	wg.Wait()
}

// monitor is told of its end by somebody else as well.
type monitor struct {
	stop, done chan struct{}
	once       sync.Once
}

func (m *monitor) start() {
	go func() {
		defer m.once.Do(func() { close(m.done) })
		for { // want `hygiene: this goroutine outlives what started it: nothing ends this loop, not even m\.stop`
			work()
			time.Sleep(time.Minute)
		}
	}()
}

// Stop does not wait for the loop.
func (m *monitor) Stop() {
	close(m.stop)
	m.once.Do(func() { close(m.done) })
	<-m.done
}

// drained ends with its queue.
func drained(ctx context.Context, queue workqueue.TypedInterface[string]) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for takeOne(queue) {
		}
	}()
	<-ctx.Done()
	queue.ShutDown()
	wg.Wait()
}

// closing ends with its channel.
func closing(ctx context.Context, items chan string) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for range items {
			work()
		}
	}()
	<-ctx.Done()
	close(items)
	wg.Wait()
}

var _, _, _, _, _, _ = grouped, workers, begun, patient, others, drained
var _ = closing

package send

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ctxdone/send/consume"
)

// What looks like the mistake, and is right.

// RoomForTheResult lets the goroutine end, whoever waits.
func RoomForTheResult(ctx context.Context, name string) error {
	result := make(chan error, 1)
	go func() { result <- probe(ctx, name) }()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RoomForAll has room for each sender.
func RoomForAll(ctx context.Context, names []string) error {
	results := make(chan error, len(names))
	for _, name := range names {
		go func() { results <- probe(ctx, name) }()
	}
	for range names {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}

// TwoPlaces has room for both.
func TwoPlaces(ctx context.Context) error {
	results := make(chan error, 2)
	go func() { results <- probe(ctx, "north") }()
	go func() { results <- probe(ctx, "south") }()
	return <-results
}

// WaitsAllTheSame cancels, and then waits for the result.
func WaitsAllTheSame(ctx context.Context, name string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := make(chan error)
	go func() { result <- probe(ctx, name) }()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		cancel()
		return <-result
	}
}

// AsksUntilItIsThere logs while it waits.
func AsksUntilItIsThere(ctx context.Context, name string) error {
	result := make(chan error)
	go func() { result <- probe(ctx, name) }()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case err := <-result:
			return err
		case <-ticker.C:
			note("still waiting")
		}
	}
}

// ResultOrError gets one of the two, never both.
func ResultOrError(ctx context.Context, name string) (*v1.Backup, error) {
	found, failed := make(chan *v1.Backup), make(chan error)
	go func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
			return
		}
		found <- &v1.Backup{}
	}()
	select {
	case b := <-found:
		return b, nil
	case err := <-failed:
		return nil, err
	}
}

// DoneOrError hears from the goroutine by one channel or the other.
func DoneOrError(ctx context.Context, name string) error {
	done, failed := make(chan struct{}), make(chan error)
	go func() {
		defer close(done)
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	select {
	case <-done:
		return nil
	case err := <-failed:
		return err
	}
}

// CollectsAll hears that all senders have ended.
func CollectsAll(ctx context.Context, names []string) []error {
	done, failed := make(chan struct{}), make(chan error)
	var wg sync.WaitGroup
	wg.Add(len(names))
	for _, name := range names {
		go func() {
			defer wg.Done()
			if err := probe(ctx, name); err != nil {
				failed <- err
			}
		}()
	}
	go func() {
		wg.Wait()
		close(done)
	}()
	var errs []error
	for {
		select {
		case <-done:
			return errs
		case err := <-failed:
			errs = append(errs, err)
		}
	}
}

// CountsAll receives as often as it has started a goroutine.
func CountsAll(ctx context.Context, names []string) (failures int) {
	results := make(chan error)
	for _, name := range names {
		go func() { results <- probe(ctx, name) }()
	}
	for range names {
		if err := <-results; err != nil {
			failures++
		}
	}
	return failures
}

// OneByOne receives what each goroutine sends before it starts the next.
func OneByOne(ctx context.Context, names []string) error {
	result := make(chan error)
	for _, name := range names {
		go func() { result <- probe(ctx, name) }()
		if err := <-result; err != nil {
			return err
		}
	}
	return nil
}

// CountsByNumber does so with a number.
func CountsByNumber(ctx context.Context, names []string) (failures int) {
	results := make(chan error)
	for _, name := range names {
		go func() { results <- probe(ctx, name) }()
	}
	for range len(names) {
		if err := <-results; err != nil {
			failures++
		}
	}
	return failures
}

// SendsOrLeaves has a way out.
func SendsOrLeaves(ctx context.Context, names []string) {
	found := make(chan string)
	go func() {
		defer close(found)
		for _, name := range names {
			select {
			case found <- name:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case name, ok := <-found:
			if !ok {
				return
			}
			note(name)
		case <-ctx.Done():
			return
		}
	}
}

// DropsWhatNobodyWants sends if somebody is there.
func (s *Server) DropsWhatNobodyWants(ctx context.Context, ws stream) error {
	changed := make(chan struct{}, 1)
	_, err := s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			select {
			case changed <- struct{}{}:
			default:
			}
		},
	})
	if err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			_ = ws.Send(&v1.Backup{})
		}
	}
}

// TakesWhatIsLeft drains the channel before it returns.
func TakesWhatIsLeft(backups []*v1.Backup) error {
	items := make(chan *v1.Backup)
	go func() {
		defer close(items)
		for _, b := range backups {
			items <- b
		}
	}()
	defer func() {
		for range items {
		}
	}()
	for b := range items {
		if err := handle(b); err != nil {
			return err
		}
	}
	return nil
}

// LetsAnotherTakeWhatIsLeft drains it in a goroutine.
func LetsAnotherTakeWhatIsLeft(ctx context.Context, backups []*v1.Backup) {
	items := make(chan *v1.Backup)
	go func() {
		defer close(items)
		for _, b := range backups {
			items <- b
		}
	}()
	for {
		select {
		case b, ok := <-items:
			if !ok {
				return
			}
			_ = handle(b)
		case <-ctx.Done():
			go consume.All(items, func(*v1.Backup) {})
			return
		}
	}
}

// Pool has workers that end when the channel is closed.
func Pool(names []string) {
	jobs := make(chan string)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for name := range jobs {
				note(name)
			}
		}()
	}
	for _, name := range names {
		jobs <- name
	}
	close(jobs)
	wg.Wait()
}

// PoolElsewhere has a worker of another package, which ends with the channel.
func PoolElsewhere(backups []*v1.Backup) {
	jobs := make(chan *v1.Backup)
	go consume.All(jobs, func(b *v1.Backup) { _ = handle(b) })
	for _, b := range backups {
		jobs <- b
	}
	close(jobs)
}

// ToldWhenAllIsSent ends the receiver after the last send.
func ToldWhenAllIsSent(names []string) {
	progress, quit := make(chan string), make(chan struct{})
	go func() {
		for {
			select {
			case name := <-progress:
				note(name)
			case <-quit:
				return
			}
		}
	}()
	for _, name := range names {
		progress <- name
	}
	quit <- struct{}{}
}

// CancelledWhenAllIsSent ends the receiver in the same way by a context of its
// own.
func CancelledWhenAllIsSent(names []string) {
	ctx, cancel := context.WithCancel(context.Background())
	progress := make(chan string)
	go func() {
		for {
			select {
			case name := <-progress:
				note(name)
			case <-ctx.Done():
				return
			}
		}
	}()
	for _, name := range names {
		progress <- name
	}
	cancel()
}

// Semaphore has a place for each goroutine that may run.
func Semaphore(ctx context.Context, names []string) {
	slots := make(chan struct{}, 3)
	var wg sync.WaitGroup
	for _, name := range names {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			_ = probe(ctx, name)
		}()
	}
	wg.Wait()
}

// SlotPool starts the next one when one is done: each result was preceded by a slot.
func SlotPool(ctx context.Context, names []string, size int) error {
	slots, results := make(chan struct{}, size), make(chan error, len(names))
	go func() {
		for _, name := range names {
			slots <- struct{}{}
			go func() { results <- probe(ctx, name) }()
		}
	}()
	for range names {
		if err := <-results; err != nil {
			return err
		}
		<-slots
	}
	return nil
}

// token is a message that can say that it is the last.
type token struct {
	text string
	last bool
}

// Tokens stops at the message that says so.
func Tokens(text string) []string {
	tokens := make(chan token)
	go func() {
		defer close(tokens)
		for _, r := range text {
			if r == '!' {
				tokens <- token{last: true}
				return
			}
			tokens <- token{text: string(r)}
		}
	}()
	var found []string
	for t := range tokens {
		if t.last {
			return nil
		}
		found = append(found, t.text)
	}
	return found
}

// Signals hands the channel to code that does not wait to send.
func Signals(ctx context.Context) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	select {
	case <-signals:
	case <-ctx.Done():
	}
}

// Events hands the channel to a controller.
func Events(backups []*v1.Backup) source.Source {
	events := make(chan event.GenericEvent)
	go func() {
		for _, b := range backups {
			events <- event.GenericEvent{Object: b}
		}
	}()
	return source.Channel(events, &handler.EnqueueRequestForObject{})
}

// Waiting keeps channels in a map, where others find them.
func Waiting(ctx context.Context, waiting map[string]chan error, name string) error {
	result := make(chan error)
	waiting[name] = result
	go func() { waiting[name] <- probe(ctx, name) }()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StopsByClosing closes the channel and does not send.
func StopsByClosing(ctx context.Context, name string) {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = probe(ctx, name)
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
	}
}

// Flushes does something at times, and goes on receiving.
func Flushes(names []string) {
	found := make(chan string)
	go func() {
		defer close(found)
		for _, name := range names {
			found <- name
		}
	}()
	for {
		select {
		case name, ok := <-found:
			if !ok {
				return
			}
			note(name)
		case <-time.After(time.Minute):
			note("nothing for a minute")
		}
	}
}

// EndsTheProcess does not return when it gives up.
func EndsTheProcess(ctx context.Context, name string) error {
	result := make(chan error)
	go func() { result <- probe(ctx, name) }()
	select {
	case err := <-result:
		return err
	case <-time.After(deadline()):
		klog.Fatal("it hangs")
	}
	return nil
}

func first(result <-chan error) error { return <-result }

// HelperReceives waits in a helper that always receives.
func HelperReceives(ctx context.Context, name string) error {
	result := make(chan error)
	go func() { result <- probe(ctx, name) }()
	note("waiting")
	return first(result)
}

// InAnErrgroup receives what both goroutines send until they have ended.
func InAnErrgroup(ctx context.Context, names []string) error {
	found := make(chan string)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(found)
		for _, name := range names {
			select {
			case found <- name:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	g.Go(func() error {
		for name := range found {
			if err := probe(ctx, name); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// pinger is code that calls back once, when it has finished.
type pinger interface {
	OnFinish(func())
	Stop()
	Run()
}

// CalledBackOnce has room for the one call.
func CalledBackOnce(p pinger, stop <-chan struct{}) {
	finished := make(chan struct{}, 1)
	p.OnFinish(func() { finished <- struct{}{} })
	go func() {
		select {
		case <-stop:
			p.Stop()
		case <-finished:
		}
	}()
	p.Run()
}

// Serving lives as long as its server.
func Serving(ctx context.Context, server *http.Server) error {
	failed := make(chan error)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return server.Shutdown(context.WithoutCancel(ctx))
	}
}

// LooksFirst does not send when its caller has gone, but for a race.
func LooksFirst(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		err := probe(ctx, name)
		if ctx.Err() != nil {
			return
		}
		result <- err
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// GotFirst sends what it has got, and the call that gets it fails once its receiver has gone.
func GotFirst(ctx context.Context, get func(context.Context) (string, error), names []string) (found []string, err error) {
	g, ctx := errgroup.WithContext(ctx)
	results := make(chan string)
	for range names {
		g.Go(func() error {
			name, err := get(ctx)
			if err != nil {
				return err
			}
			results <- name
			return nil
		})
	}
	for range names {
		select {
		case name := <-results:
			found = append(found, name)
		case <-ctx.Done():
			return found, g.Wait()
		}
	}
	return found, g.Wait()
}

// GotElsewhere does the same, and another function starts the senders.
func GotElsewhere(ctx context.Context, get func(context.Context) (string, error), names []string) (found []string, err error) {
	g, ctx := errgroup.WithContext(ctx)
	results := make(chan string)
	getAll(ctx, g, get, names, results)
	for range names {
		select {
		case name := <-results:
			found = append(found, name)
		case <-ctx.Done():
			return found, g.Wait()
		}
	}
	return found, g.Wait()
}

func getAll(ctx context.Context, g *errgroup.Group, get func(context.Context) (string, error), names []string, results chan<- string) {
	for range names {
		g.Go(func() error {
			name, err := get(ctx)
			if err != nil {
				return err
			}
			results <- name
			return nil
		})
	}
}

// GotInside is handed its context by the one function that calls getFirst.
func GotInside(ctx context.Context, get func(context.Context) (string, error), names []string) ([]string, error) {
	return getFirst(ctx, get, names)
}

func getFirst(ctx context.Context, get func(context.Context) (string, error), names []string) (found []string, err error) {
	g, ctx := errgroup.WithContext(ctx)
	results := make(chan string)
	for range names {
		g.Go(func() error {
			name, err := get(ctx)
			if err != nil {
				return err
			}
			results <- name
			return nil
		})
	}
	for range names {
		select {
		case name := <-results:
			found = append(found, name)
		case <-ctx.Done():
			return found, g.Wait()
		}
	}
	return found, g.Wait()
}

// ServingBoth has the function that serves in a variable.
func ServingBoth(ctx context.Context, server *http.Server, listener net.Listener, secure bool) error {
	serve := server.Serve
	if secure {
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	failed := make(chan error)
	go func() {
		if err := serve(listener); err != nil {
			failed <- err
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return server.Shutdown(context.Background())
	}
}

// run is one run, with the errors of its goroutines.
type run struct {
	errs chan error
	wg   sync.WaitGroup
}

// All starts goroutines deep down, and receives all that they send.
func All(ctx context.Context, names []string) []error {
	r := &run{errs: make(chan error)}
	return r.execute(ctx, names)
}

func (r *run) execute(ctx context.Context, names []string) []error {
	if err := probe(ctx, "first"); err != nil {
		return []error{err}
	}
	for _, name := range names {
		r.start(ctx, name)
	}
	go func() {
		r.wg.Wait()
		close(r.errs)
	}()
	var errs []error
	for err := range r.errs {
		errs = append(errs, err)
	}
	return errs
}

func (r *run) start(ctx context.Context, name string) {
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		if err := probe(ctx, name); err != nil {
			r.errs <- err
		}
	}()
}

// StopsTheTimer does not let it fire.
func StopsTheTimer(ctx context.Context, name string) error {
	late := make(chan struct{})
	timer := time.AfterFunc(deadline(), func() { late <- struct{}{} })
	defer timer.Stop()
	result := make(chan error, 1)
	go func() { result <- probe(ctx, name) }()
	select {
	case err := <-result:
		return err
	case <-late:
		return context.DeadlineExceeded
	}
}

// StopsWaiting takes the function back that waits for the context.
func StopsWaiting(ctx context.Context, name string) error {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { ended <- struct{}{} })
	defer stop()
	result := make(chan error, 1)
	go func() { result <- probe(ctx, name) }()
	select {
	case err := <-result:
		return err
	case <-ended:
		return ctx.Err()
	}
}

// Each round starts one sender and waits for it or returns, so that there is
// never more than one value, for which there is room.
func requests(ctx context.Context, read func() (string, error), answer func(string)) {
	lines := make(chan string, 1)
	for {
		go func() {
			line, err := read()
			if err != nil {
				close(lines)
				return
			}
			lines <- line
		}()
		select {
		case line, ok := <-lines:
			if !ok {
				return
			}
			if line == "" {
				continue
			}
			answer(line)
		case <-ctx.Done():
			return
		}
	}
}

// OneByOneBehind leaves the start to a helper, which runs what it is handed once.
func OneByOneBehind(ctx context.Context, names []string) error {
	result := make(chan error)
	for _, name := range names {
		with(result, func(result chan error) {
			go func() { result <- probe(ctx, name) }()
		})
		if err := <-result; err != nil {
			return err
		}
	}
	return nil
}

func with[T any](x T, do func(T)) { do(x) }

// OneRound starts one goroutine, in a loop with one round.
func OneRound(ctx context.Context, name string) error {
	result := make(chan error, 1)
	for _, name := range []string{name} {
		go func() { result <- probe(ctx, name) }()
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// BothClosed goes on until both channels are closed, which is when all have sent.
func BothClosed(names []string, get func(string) (string, error)) (found []string, failed []error) {
	var wg sync.WaitGroup
	results, errs := make(chan string), make(chan error)
	for _, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			result, err := get(name)
			if err != nil {
				errs <- err
				return
			}
			results <- result
		}()
	}
	go func() {
		wg.Wait()
		close(results)
		close(errs)
	}()
	for results != nil || errs != nil {
		select {
		case result, ok := <-results:
			if !ok {
				results = nil
				continue
			}
			found = append(found, result)
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			failed = append(failed, err)
		}
	}
	return found, failed
}

// Measured hands what sends to a function of another package, which runs it once: the only
// result is always received.
func (s *Server) Measured(work func() error) error {
	result := make(chan error)
	go func() {
		defer close(result)
		consume.Timed(func(time.Duration) {}, func() { result <- work() })
	}()
	return <-result
}

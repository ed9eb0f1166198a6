package send

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The result of one goroutine, for which its caller does not always wait.

// ResultOrDone gives up when its context ends.
func ResultOrDone(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if ResultOrDone stops receiving \(line \d+: its context is done\); give the channel a buffer of 1.*ctxdone/blocking-send`
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ResultOrTimeout gives up after a while.
func ResultOrTimeout(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if ResultOrTimeout stops receiving \(line \d+: its time is up\)`
	}()
	select {
	case err := <-result:
		return err
	case <-time.After(deadline()):
		return context.DeadlineExceeded
	}
}

// LookOnce looks whether something is there yet, and goes on.
func LookOnce(ctx context.Context, name string) error {
	failed := make(chan error)
	go func() {
		if err := probe(ctx, name); err != nil {
			failed <- err // want `this goroutine hangs in its send on failed if LookOnce stops receiving \(line \d+: nothing is there yet\)`
		}
	}()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// FailsFirst returns when something else has failed.
func FailsFirst(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if FailsFirst stops receiving \(line \d+: it returns\)`
	}()
	if err := probe(ctx, "other"); err != nil {
		return err
	}
	return <-result
}

func work(ctx context.Context, name string, result chan<- error) {
	result <- probe(ctx, name) // want `this goroutine hangs in its send on result if NamedWorker stops receiving \(line \d+: its context is done\)`
}

// NamedWorker starts a declared function.
func NamedWorker(ctx context.Context, name string) error {
	result := make(chan error)
	go work(ctx, name, result)
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func startWork(ctx context.Context, name string, result chan<- error) {
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if StartedByHelper stops receiving \(line \d+: its context is done\)`
	}()
}

// StartedByHelper lets a helper start the goroutine.
func StartedByHelper(ctx context.Context, name string) error {
	result := make(chan error)
	startWork(ctx, name, result)
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ReturnedChannel gets the channel from a function that starts the goroutine.
func ReturnedChannel(ctx context.Context, name string) error {
	start := func() <-chan error {
		result := make(chan error)
		go func() {
			result <- probe(ctx, name) // want `this goroutine hangs in its send on result if ReturnedChannel stops receiving \(line \d+: its context is done\)`
		}()
		return result
	}
	select {
	case err := <-start():
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// SentWhenItPanics sends in a deferred function, and closes the channel only
// after that.
func SentWhenItPanics(ctx context.Context, run func()) {
	done := make(chan any)
	go func() {
		defer func() {
			defer close(done)
			if p := recover(); p != nil {
				done <- p // want `this goroutine hangs in its send on done if SentWhenItPanics stops receiving \(line \d+: its context is done\)`
			}
		}()
		run()
	}()
	select {
	case p, ok := <-done:
		if ok {
			panic(p)
		}
	case <-ctx.Done():
	}
}

// InAGroup starts the goroutine in a group for which nobody waits.
func InAGroup(ctx context.Context, g *errgroup.Group, name string) error {
	result := make(chan error)
	g.Go(func() error {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if InAGroup stops receiving \(line \d+: its context is done\)`
		return nil
	})
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func await(ctx context.Context, result <-chan error) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// HelperGivesUp waits in a helper.
func HelperGivesUp(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if HelperGivesUp stops receiving \(line \d+: its context is done\)`
	}()
	return await(ctx, result)
}

// ServeHTTP leaves a goroutine behind for each request that takes too long.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found := make(chan *v1.Backup)
	go func() {
		found <- &v1.Backup{} // want `this goroutine hangs in its send on found if ServeHTTP stops receiving \(line \d+: its context is done\); give the channel a buffer of 1`
	}()
	select {
	case <-found:
		w.WriteHeader(http.StatusOK)
	case <-r.Context().Done():
	}
}

// SecondAttempt waits for one of two goroutines, and forgets the other.
func SecondAttempt(ctx context.Context) error {
	first, second := make(chan error), make(chan error)
	go func() {
		first <- probe(ctx, "first") // want `this goroutine hangs in its send on first if SecondAttempt stops receiving \(line \d+: another channel is ready\)`
	}()
	go func() {
		second <- probe(ctx, "second") // want `this goroutine hangs in its send on second if SecondAttempt stops receiving \(line \d+: another channel is ready\)`
	}()
	select {
	case err := <-first:
		return err
	case err := <-second:
		return err
	}
}

// restorer keeps the channel of the call that runs.
type restorer struct {
	checked chan error
}

// Restore uses a field as a variable.
func (r *restorer) Restore(ctx context.Context, name string) error {
	r.checked = make(chan error)
	go func() {
		if err := probe(ctx, name); err != nil {
			r.checked <- err // want `this goroutine hangs in its send on checked if Restore stops receiving \(line \d+: its context is done\)`
		}
	}()
	select {
	case err := <-r.checked:
		return err
	case <-ctx.Done():
		return nil
	}
}

// Get is generic.
func Get[T any](ctx context.Context, get func() T) (found T, err error) {
	result := make(chan T)
	go func() {
		result <- get() // want `this goroutine hangs in its send on result if Get stops receiving \(line \d+: its context is done\)`
	}()
	select {
	case found = <-result:
		return found, nil
	case <-ctx.Done():
		return found, ctx.Err()
	}
}

// outcome is a channel type of its own.
type outcome chan error

// NamedType makes one.
func NamedType(ctx context.Context, name string) error {
	result := make(outcome)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if NamedType stops receiving \(line \d+: its context is done\)`
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TimerStays lets the timer fire when nobody waits any more.
func TimerStays(ctx context.Context, results <-chan error) error {
	late := make(chan struct{})
	time.AfterFunc(deadline(), func() {
		late <- struct{}{} // want `this goroutine hangs in its send on late if TimerStays stops receiving \(line \d+: another channel is ready\)`
	})
	select {
	case err := <-results:
		return err
	case <-late:
		return context.DeadlineExceeded
	}
}

// Branches has two sends to one channel: one with room mends both.
func Branches(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		if err := probe(ctx, name); err != nil {
			result <- err // want `this goroutine hangs in its send on result if Branches stops receiving \(line \d+: its context is done\)`
			return
		}
		result <- nil
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Both goes away at one place from the two that send to it: one cause.
func Both(ctx context.Context, name string) (err error) {
	first, second := make(chan error), make(chan error)
	go func() {
		first <- probe(ctx, name) // want `this goroutine hangs in its send on first if Both stops receiving \(line \d+: its context is done\)`
	}()
	go func() {
		second <- probe(ctx, name)
	}()
	for range 2 {
		select {
		case err = <-first:
		case err = <-second:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// SendsFailure sends nothing but the failure: when its receiver has gone, that is what it has.
func SendsFailure(ctx context.Context, names <-chan string) error {
	result := make(chan error)
	go func() {
		if err := probe(ctx, <-names); err != nil {
			result <- err // want `this goroutine hangs in its send on result if SendsFailure stops receiving \(line \d+: its context is done\)`
		}
	}()
	for {
		select {
		case err := <-result:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

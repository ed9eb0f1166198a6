package send

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Receives for which nothing may come.

// NothingOnError waits for a goroutine that may give up without a word.
func NothingOnError(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		if err := probe(ctx, name); err != nil {
			note(err.Error())
			return
		}
		result <- nil
	}()
	return <-result // want `stuck: NothingOnError waits forever to receive from result: the sender may end without a send \(line \d+\); close it in a defer of the sender.*ctxdone/blocking-send`
}

// OnlyErrors waits for an error, which comes if something fails.
func OnlyErrors(ctx context.Context, name string) error {
	failed := make(chan error, 1)
	go func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	return <-failed // want `stuck: OnlyErrors waits forever to receive from failed: the sender may end without a send`
}

// NobodyCloses ranges over what nobody closes.
func NobodyCloses(names []string) {
	found := make(chan string)
	go func() {
		for _, name := range names {
			found <- name
		}
	}()
	for name := range found { // want `hygiene: NobodyCloses waits forever to receive from found: nobody closes the channel, and only that ends the range`
		note(name)
	}
}

// ClosedIfAllGoesWell closes the channel unless something has failed.
func ClosedIfAllGoesWell(ctx context.Context, names []string) error {
	found := make(chan string)
	workers := new(errgroup.Group)
	for _, name := range names {
		workers.Go(func() error {
			if err := probe(ctx, name); err != nil {
				return err
			}
			found <- name
			return nil
		})
	}
	closer := new(errgroup.Group)
	closer.Go(func() error {
		if err := workers.Wait(); err != nil {
			return err
		}
		close(found)
		return nil
	})
	for name := range found { // want `stuck: ClosedIfAllGoesWell waits forever to receive from found: the sender may end without a close \(line \d+\)`
		note(name)
	}
	return closer.Wait()
}

// GivesUpSending waits for a sender that has a way out.
func GivesUpSending(ctx context.Context, name string) string {
	found := make(chan string)
	go func() {
		select {
		case found <- name:
		case <-ctx.Done():
		}
	}()
	note("waiting")
	return <-found // want `stuck: GivesUpSending waits forever to receive from found: the sender may end without a send`
}

// ClosedInADefer is right: something comes, whatever happens.
func ClosedInADefer(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		defer close(result)
		if err := probe(ctx, name); err != nil {
			result <- err
		}
	}()
	return <-result
}

// SendsOnAllPaths is right.
func SendsOnAllPaths(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		if err := probe(ctx, name); err != nil {
			result <- err
			return
		}
		result <- nil
	}()
	return <-result
}

// ClosedAfterAll is right: who waits for the senders closes the channel.
func ClosedAfterAll(names []string) {
	found := make(chan string)
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			found <- name
		}()
	}
	go func() {
		wg.Wait()
		close(found)
	}()
	for name := range found {
		note(name)
	}
}

// OrDone is right: it does not wait for the goroutine alone.
func OrDone(ctx context.Context, name string) error {
	failed := make(chan error, 1)
	go func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// Slotless waits for what the goroutine sends only if it comes so far: no slot of it is
// taken before another one is started.
func Slotless(ctx context.Context, names []string, size int) {
	done := make(chan struct{}, size)
	go func() {
		for _, name := range names {
			if probe(ctx, name) != nil {
				return
			}
			done <- struct{}{}
		}
	}()
	for range names {
		<-done // want `stuck: Slotless waits forever to receive from done: the sender may end without a send`
	}
}

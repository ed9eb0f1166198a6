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
	return <-result // want `hygiene: NothingOnError waits forever to receive from result: the sender may end without a send \(line \d+\); close it in a defer of the sender.*ctxdone/blocking-send`
}

// OnlyErrors waits for an error, which comes if something fails.
func OnlyErrors(ctx context.Context, name string) error {
	failed := make(chan error, 1)
	go func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	return <-failed // want `hygiene: OnlyErrors waits forever to receive from failed: the sender may end without a send`
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
	for name := range found { // want `hygiene: ClosedIfAllGoesWell waits forever to receive from found: the sender may end without a close \(line \d+\)`
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
	return <-found // want `hygiene: GivesUpSending waits forever to receive from found: the sender may end without a send`
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

// Slotless waits for a goroutine that sends any number of times: for strict.
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
		<-done
	}
}

// Restarted is right: the goroutine has sent before it can end otherwise.
func Restarted(ctx context.Context, name string) error {
	started := make(chan error, 1)
	go func() {
		for restarts := 0; ; restarts++ {
			if restarts > 0 && ctx.Err() != nil {
				return
			}
			err := probe(ctx, name)
			if restarts == 0 {
				started <- err
			}
			if err != nil && restarts > 3 {
				return
			}
		}
	}()
	return <-started
}

// AppliedByOthers is right: whoever sends the last item has sent an error before.
func AppliedByOthers(ctx context.Context, names []string) error {
	failed := make(chan error, 2)
	items := make(chan string)
	go func() {
		for _, name := range names {
			if err := probe(ctx, name); err != nil {
				failed <- err
				break
			}
			items <- name
		}
		items <- ""
	}()
	go func() {
		for {
			item := <-items
			if item == "" {
				return
			}
			note(item)
			failed <- nil
		}
	}()
	return <-failed
}

// OneEach is right: each worker takes one and answers for it.
func OneEach(ctx context.Context, names []string) (failed int) {
	jobs := make(chan string, len(names))
	results := make(chan error, len(names))
	for range 4 {
		go func() {
			for name := range jobs {
				results <- probe(ctx, name)
			}
		}()
	}
	for _, name := range names {
		jobs <- name
	}
	close(jobs)
	for range names {
		if err := <-results; err != nil {
			failed++
		}
	}
	return failed
}

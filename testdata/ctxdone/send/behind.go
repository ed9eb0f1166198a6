package send

import (
	"context"
	"sync"

	"github.com/opvet/opvet/testdata/ctxdone/send/consume"
)

// What another package does with a channel, and what a helper is told.

// TellsByOther waits for the senders in another package, which then says so: right.
func TellsByOther(ctx context.Context, names []string) []error {
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
	consume.CloseAfter(&wg, done)
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

// SendsByOther has another package send, and ends the receiver after that: right.
func SendsByOther(names []string) {
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
	consume.SendAll(names, progress)
	cancel()
}

// TakesWhatIsThere has a helper take as many as there are: right.
func TakesWhatIsThere(ctx context.Context, name string) []error {
	failed := make(chan error, 1)
	var group sync.WaitGroup
	group.Go(func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	})
	group.Wait()
	return take(len(failed), failed)
}

func take(n int, failed <-chan error) (errs []error) {
	for range n {
		errs = append(errs, <-failed)
	}
	return errs
}

// TakesOne has a helper take one that need not come.
func TakesOne(ctx context.Context, name string) error {
	failed := make(chan error, 1)
	go func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	return <-failed // want `hygiene: .*waits forever to receive from failed.*\(ctxdone/blocking-send\)`
}

// TakesWhatIsThereBehindTwo has a helper's helper do so: right.
func TakesWhatIsThereBehindTwo(ctx context.Context, name string) []error {
	failed := make(chan error, 1)
	var group sync.WaitGroup
	group.Go(func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	})
	group.Wait()
	return takeAll(len(failed), failed)
}

func takeAll(n int, failed <-chan error) []error { return takeEach(n, failed) }

func takeEach(n int, failed <-chan error) (errs []error) {
	for range n {
		errs = append(errs, <-failed)
	}
	return errs
}

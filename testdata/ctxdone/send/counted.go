package send

import (
	"context"
	"sync"
)

// Receives of what is known to be there.

// SlowStart starts more and more at once, and stops at the first error, as the
// controllers of Kubernetes do.
func SlowStart(count int, create func() error) (int, error) {
	remaining, successes := count, 0
	for batch := min(remaining, 1); batch > 0; batch = min(2*batch, remaining) {
		failed := make(chan error, batch)
		var group sync.WaitGroup
		group.Add(batch)
		for range batch {
			go func() {
				defer group.Done()
				if err := create(); err != nil {
					failed <- err
				}
			}()
		}
		group.Wait()
		successes += batch - len(failed)
		if len(failed) > 0 {
			return successes, <-failed
		}
		remaining -= batch
	}
	return successes, nil
}

// FirstOfMany has room for the errors of all.
func FirstOfMany(ctx context.Context, names []string) error {
	failed := make(chan error, len(names))
	var group sync.WaitGroup
	for _, name := range names {
		group.Go(func() {
			if err := probe(ctx, name); err != nil {
				failed <- err
			}
		})
	}
	group.Wait()
	if len(failed) == 0 {
		return nil
	}
	return <-failed
}

// AllErrors takes as many as there are.
func AllErrors(ctx context.Context, name string) (errs []error) {
	failed := make(chan error, 1)
	var group sync.WaitGroup
	group.Go(func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	})
	group.Wait()
	n := len(failed)
	for range n {
		errs = append(errs, <-failed)
	}
	return errs
}

// AllErrorsByIndex counts by hand.
func AllErrorsByIndex(ctx context.Context, name string) (errs []error) {
	failed := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	<-done
	for i, n := 0, len(failed); i < n; i++ {
		errs = append(errs, <-failed)
	}
	return errs
}

// UntilEmpty asks before each receive.
func UntilEmpty(ctx context.Context, name string) (errs []error) {
	failed := make(chan error, 1)
	var group sync.WaitGroup
	group.Go(func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	})
	group.Wait()
	for len(failed) > 0 {
		errs = append(errs, <-failed)
	}
	return errs
}

// IfOneIsThere asks in an else.
func IfOneIsThere(ctx context.Context, name string) error {
	failed := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	<-done
	if n := len(failed); n != 0 {
		return <-failed
	}
	return nil
}

// AsksAnother looks at the length of another channel.
func AsksAnother(ctx context.Context, name string) error {
	failed, other := make(chan error, 1), make(chan error, 1)
	go func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	other <- nil
	if len(other) > 0 {
		return <-failed // want `hygiene: AsksAnother waits forever to receive from failed`
	}
	return nil
}

// AsksForNone receives where there is none.
func AsksForNone(ctx context.Context, name string) error {
	failed := make(chan error, 1)
	go func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	}()
	if len(failed) == 0 {
		return <-failed // want `hygiene: AsksForNone waits forever to receive from failed`
	}
	return nil
}

// AfterWaiting receives although none need have come.
func AfterWaiting(ctx context.Context, name string) error {
	failed := make(chan error, 1)
	var group sync.WaitGroup
	group.Go(func() {
		if err := probe(ctx, name); err != nil {
			failed <- err
		}
	})
	group.Wait()
	return <-failed // want `hygiene: AfterWaiting waits forever to receive from failed`
}

package send

import (
	"context"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
)

// A library calls the literal for each index, at once, and waits for all.

func InParallel(ctx context.Context, names []string) error {
	failed := make(chan error, 1)
	workqueue.ParallelizeUntil(ctx, 16, len(names), func(i int) {
		if err := probe(ctx, names[i]); err != nil {
			failed <- err // want `stuck: ParallelizeUntil never returns if several of its calls send on failed: it has room for 1, and nothing receives before; send in a select with a default`
		}
	})
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func InParallelNamed(ctx context.Context, names []string) error {
	failed := make(chan error, 4)
	one := func(i int) {
		failed <- probe(ctx, names[i]) // want `stuck: ParallelizeUntil never returns .*it has room for 4`
	}
	workqueue.ParallelizeUntil(ctx, 16, len(names), one)
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// There is room for all.
func InParallelWithRoom(ctx context.Context, names []string) error {
	failed := make(chan error, len(names))
	workqueue.ParallelizeUntil(ctx, 16, len(names), func(i int) {
		if err := probe(ctx, names[i]); err != nil {
			failed <- err
		}
	})
	close(failed)
	return <-failed
}

func InParallelFew(ctx context.Context, names [2]string) error {
	failed := make(chan error, 2)
	workqueue.ParallelizeUntil(ctx, 2, 2, func(i int) { failed <- probe(ctx, names[i]) })
	return <-failed
}

// What finds no room is dropped.
func InParallelFirst(ctx context.Context, names []string) error {
	failed := make(chan error, 1)
	workqueue.ParallelizeUntil(ctx, 16, len(names), func(i int) {
		if err := probe(ctx, names[i]); err != nil {
			select {
			case failed <- err:
			default:
			}
		}
	})
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// Somebody receives meanwhile.
func InParallelReceived(ctx context.Context, names []string) (all []error) {
	failed := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for err := range failed {
			all = append(all, err)
		}
	}()
	workqueue.ParallelizeUntil(ctx, 16, len(names), func(i int) { failed <- probe(ctx, names[i]) })
	close(failed)
	<-done
	return all
}

// The first failure ends the others, and there is room for one of each worker.
func InParallelUntilFailure(ctx context.Context, names []string) error {
	const workers = 8
	failed := make(chan error, workers)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workqueue.ParallelizeUntil(ctx, workers, len(names), func(i int) {
		if err := probe(ctx, names[i]); err != nil {
			failed <- err
			cancel()
		}
	})
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// There is room for one, and eight may be at it when the first fails.
func InParallelUntilFailureTooMany(ctx context.Context, names []string) error {
	failed := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workqueue.ParallelizeUntil(ctx, 8, len(names), func(i int) {
		if err := probe(ctx, names[i]); err != nil {
			cancel()
			failed <- err // want `stuck: ParallelizeUntil never returns .*it has room for 1`
		}
	})
	close(failed)
	return <-failed
}

// Only the first one sends.
func InParallelOnce(ctx context.Context, names []string) error {
	var told atomic.Bool
	failed := make(chan error, 1)
	workqueue.ParallelizeUntil(ctx, 8, len(names), func(i int) {
		if err := probe(ctx, names[i]); err != nil && told.CompareAndSwap(false, true) {
			failed <- err
		}
	})
	close(failed)
	return <-failed
}

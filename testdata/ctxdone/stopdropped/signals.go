package stopdropped

import (
	"context"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// untilSignal is what a program runs: a signal ends what it waits for, before stop is
// called: not a finding.
func untilSignal(mgr manager.Manager) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = mgr.Start(ctx)
	}()
	select {
	case <-mgr.Elected():
	case <-ctx.Done():
	}
	wg.Wait()
	return nil
}

// So is the context of a helper, which may do the same: not a finding.
func untilTold(mgr manager.Manager) {
	ctx, stop := untilTermination()
	defer stop()
	var wg sync.WaitGroup
	wg.Go(func() { _ = mgr.Start(ctx) })
	<-ctx.Done()
	wg.Wait()
}

func untilTermination() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGTERM)
}

// untilReturnOfHelper waits for what a helper makes, which only its own return would end.
func untilReturnOfHelper(told context.Context, work func(context.Context)) {
	ctx, cancel := cancellable()
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		wait.UntilWithContext(ctx, work, time.Second) // want `stuck: untilReturnOfHelper \(line \d+\) waits forever`
	})
	<-told.Done()
	wg.Wait()
}

func cancellable() (context.Context, context.CancelFunc) {
	return context.WithCancel(context.Background())
}

// untilReturn waits for what only its own return would end.
func untilReturn(told context.Context, work func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		wait.UntilWithContext(ctx, work, time.Second) // want `stuck: untilReturn \(line \d+\) waits forever: wait\.UntilWithContext goes on when told has ended, since it is given context\.Background\(\)`
	})
	<-told.Done()
	wg.Wait()
}

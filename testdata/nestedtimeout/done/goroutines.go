package done

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
)

// Goroutines need their context until they are waited for.

func (s *server) probe(ctx context.Context, pod *corev1.Pod) error { return s.Update(ctx, pod) }

func (s *server) fanOut(ctx context.Context, pods []*corev1.Pod) error {
	probeCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	var wg sync.WaitGroup
	failed := make(chan error, len(pods))
	for _, pod := range pods {
		wg.Add(1)
		go func(pod *corev1.Pod) {
			defer wg.Done()
			failed <- s.probe(probeCtx, pod)
		}(pod)
	}
	cancel() // want `^loss: Update in the goroutine of line \d+ fails: its context is cancelled here, before the wait for it \(line \d+\); cancel after that.*already-done`
	wg.Wait()
	close(failed)
	return <-failed
}

func (s *server) one(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, 30*time.Second)
	failed := make(chan error, 1)
	go func() { failed <- s.Delete(short, s.pod) }()
	cancel() // want `Delete in the goroutine of line \d+ fails: its context is cancelled here, before the wait for it \(line \d+\)`
	return <-failed
}

func (s *server) inGroup(ctx context.Context, pods []*corev1.Pod) error {
	short, cancel := context.WithTimeout(ctx, 30*time.Second)
	var g errgroup.Group
	for _, pod := range pods {
		g.Go(func() error { return s.probe(short, pod) })
	}
	g.Go(func() error { return s.Delete(short, s.pod) })
	cancel() // want `Update in the goroutine of line \d+ fails: its context is cancelled here, before the wait for it \(line \d+\)`
	return g.Wait()
}

// trapOfWaited cancels after the wait.
func (s *server) trapOfWaited(ctx context.Context, pods []*corev1.Pod) {
	short, cancel := context.WithTimeout(ctx, 30*time.Second)
	var wg sync.WaitGroup
	for _, pod := range pods {
		wg.Go(func() { _ = s.probe(short, pod) })
	}
	wg.Wait()
	cancel()
}

// trapOfDeferred cancels when it returns.
func (s *server) trapOfDeferred(ctx context.Context, pods []*corev1.Pod) {
	short, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for _, pod := range pods {
		wg.Go(func() { _ = s.probe(short, pod) })
	}
	wg.Wait()
}

// trapOfFirst stops the others when one has answered.
func (s *server) trapOfFirst(ctx context.Context, pods []*corev1.Pod) error {
	short, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	failed := make(chan error, len(pods))
	var wg sync.WaitGroup
	for _, pod := range pods {
		wg.Go(func() { failed <- s.probe(short, pod) })
	}
	err := <-failed
	cancel()
	wg.Wait()
	return err
}

// trapOfFailed stops them where something else has failed.
func (s *server) trapOfFailed(ctx context.Context, check func() error) error {
	short, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.probe(short, s.pod) })
	if err := check(); err != nil {
		cancel()
		wg.Wait()
		return err
	}
	wg.Wait()
	return nil
}

// trapOfChosen stops them if it was asked to.
func (s *server) trapOfChosen(ctx context.Context, quick bool) {
	short, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.probe(short, s.pod) })
	if quick {
		cancel()
	}
	wg.Wait()
}

// trapOfUntilTold has a goroutine that goes on until it is told to stop.
func (s *server) trapOfUntilTold(ctx context.Context) {
	loopCtx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for loopCtx.Err() == nil {
			_ = s.probe(loopCtx, s.pod)
		}
	})
	cancel()
	wg.Wait()
}

// trapOfWork does something meanwhile.
func (s *server) trapOfWork(ctx context.Context) error {
	short, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.probe(short, s.pod) })
	err := s.Delete(ctx, s.pod)
	cancel()
	wg.Wait()
	return err
}

// trapOfRounds has a context for each round.
func (s *server) trapOfRounds(ctx context.Context, pods []*corev1.Pod) {
	for _, pod := range pods {
		short, cancel := context.WithTimeout(ctx, 30*time.Second)
		done := make(chan error, 1)
		go func() { done <- s.probe(short, pod) }()
		<-done
		cancel()
	}
}

// trapOfOuter gives them the caller's context.
func (s *server) trapOfOuter(ctx context.Context, pods []*corev1.Pod) {
	short, cancel := context.WithTimeout(ctx, 30*time.Second)
	_ = s.probe(short, s.pod)
	var wg sync.WaitGroup
	for _, pod := range pods {
		wg.Go(func() { _ = s.probe(ctx, pod) })
	}
	cancel()
	wg.Wait()
}

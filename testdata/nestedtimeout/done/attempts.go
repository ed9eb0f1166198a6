package done

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

// What is run again until it succeeds must not end a context that was made outside.

func (s *server) deferredInAttempt(ctx context.Context) error {
	tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		defer cancel()
		s.pod.Status.Reason = "Tried"
		return s.Update(tryCtx, s.pod) // want `^loss: Update fails at once from the second attempt on: each attempt cancels tryCtx \(line \d+\), which is made outside; make it within the attempt`
	})
}

func (s *server) calledInAttempt(ctx context.Context, retriable func(error) bool) error {
	tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return retry.OnError(retry.DefaultRetry, retriable, func() error {
		err := s.summarize(tryCtx, nil) // want `Patch in summarize fails at once from the second attempt on: each attempt cancels tryCtx \(line \d+\)`
		cancel()
		return err
	})
}

func (s *server) polled(ctx context.Context) error {
	askCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(context.Context) (bool, error) {
		defer cancel()
		if err := s.Update(askCtx, s.pod); err != nil { // want `Update fails at once from the second attempt on: each attempt cancels askCtx`
			return false, nil
		}
		return true, nil
	})
}

// persist tries until it works.
func persist(times int, try func() error) error {
	var err error
	for range times {
		if err = try(); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

func (s *server) persistent(ctx context.Context) error {
	tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return persist(3, func() error {
		defer cancel()
		return s.Update(tryCtx, s.pod) // want `Update fails at once from the second attempt on: each attempt cancels tryCtx`
	})
}

// trapOfInside makes the context for each attempt.
func (s *server) trapOfInside(ctx context.Context) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		return s.Update(tryCtx, s.pod)
	})
}

// trapOfDone cancels as it succeeds.
func (s *server) trapOfDone(ctx context.Context) error {
	tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		err := s.Update(tryCtx, s.pod)
		if err == nil {
			cancel()
		}
		return err
	})
}

// trapOfGivenUp cancels as it gives up.
func (s *server) trapOfGivenUp(ctx context.Context) error {
	tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if s.pod.DeletionTimestamp != nil {
			cancel()
			return errors.New("being deleted")
		}
		return s.Update(tryCtx, s.pod)
	})
}

// trapOfMet cancels when the condition is met.
func (s *server) trapOfMet(ctx context.Context) error {
	askCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(context.Context) (bool, error) {
		if err := s.Update(askCtx, s.pod); err != nil {
			return false, nil
		}
		cancel()
		return true, nil
	})
}

// trapOfStopped ends the polling with the context.
func (s *server) trapOfStopped(ctx context.Context) error {
	pollCtx, cancel := context.WithCancel(ctx)
	return wait.PollUntilContextCancel(pollCtx, time.Second, true, func(ctx context.Context) (bool, error) {
		err := s.Update(ctx, s.pod)
		if err != nil {
			cancel()
		}
		return false, nil
	})
}

// trapOfAround cancels when all attempts are over.
func (s *server) trapOfAround(ctx context.Context) error {
	tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return s.Update(tryCtx, s.pod) })
}

// trapOfPersistent cancels on one of the ways only.
func (s *server) trapOfPersistent(ctx context.Context) error {
	tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return persist(3, func() error {
		if err := s.Update(tryCtx, s.pod); err != nil {
			return err
		}
		cancel()
		return nil
	})
}

// once runs it one time.
func once(try func() error) error { return try() }

func (s *server) trapOfOnce(ctx context.Context) error {
	tryCtx, cancel := context.WithTimeout(ctx, 30*time.Second)
	return once(func() error {
		defer cancel()
		return s.Update(tryCtx, s.pod)
	})
}

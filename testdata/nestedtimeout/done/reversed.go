package done

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Deferred calls run in reverse: what is deferred before the cancel comes after it.

func (s *server) summarize(ctx context.Context, err error) error {
	s.pod.Status.Reason = "Failed"
	return s.Status().Patch(ctx, s.pod, client.Merge)
}

// assigned captures a variable that gets another context later.
func (s *server) assigned(ctx context.Context) (err error) {
	if s.pod == nil {
		return nil
	}
	defer func() {
		err = s.summarize(ctx, err) // want `^loss: Patch in summarize fails at once: the cancel of ctx is deferred later \(line \d+\), and so runs first; pass context\.WithoutCancel\(ctx\)`
	}()
	if s.pod.DeletionTimestamp != nil {
		return s.Delete(ctx, s.pod) // here, it is the caller's context
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if s.pod.Name == "" {
		return nil
	}
	return s.Update(ctx, s.pod)
}

// handed is evaluated when it is deferred.
func (s *server) handed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer s.Status().Update(ctx, s.pod) // want `Update fails at once: the cancel of ctx is deferred later \(line \d+\), and so runs first`
	defer cancel()
	return s.Update(ctx, s.pod)
}

// literal cancels in a literal.
func (s *server) literal(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, time.Minute)
	defer func() {
		if err := s.Status().Update(ctx, s.pod); err != nil { // want `Update fails at once: the cancel of ctx is deferred later \(line \d+\), and so runs first`
			s.pod = nil
		}
	}()
	defer func() { cancel() }()
	return s.Update(ctx, s.pod)
}

// together does both in one deferred literal.
func (s *server) together(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, time.Minute)
	defer func() {
		cancel()
		_ = s.Status().Update(ctx, s.pod) // want `Update fails at once: ctx has ended \(cancelled on line \d+\)`
	}()
	return s.Update(ctx, s.pod)
}

// trapOfHanded has the caller's context.
func (s *server) trapOfHanded(ctx context.Context) error {
	defer s.Status().Update(ctx, s.pod)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return s.Update(ctx, s.pod)
}

// trapOfOrder defers the cancel first.
func (s *server) trapOfOrder(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	defer func() { err = s.summarize(ctx, err) }()
	return s.Update(ctx, s.pod)
}

// trapOfShadowed has another variable of that name.
func (s *server) trapOfShadowed(ctx context.Context) (err error) {
	defer func() { err = s.summarize(ctx, err) }()
	{
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		return s.Update(ctx, s.pod)
	}
}

// trapOfOther works with another variable.
func (s *server) trapOfOther(ctx context.Context) (err error) {
	defer func() { err = s.summarize(ctx, err) }()
	workCtx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return s.Update(workCtx, s.pod)
}

// trapOfOwn makes a context of its own.
func (s *server) trapOfOwn(ctx context.Context) (err error) {
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = s.summarize(ctx, err)
	}()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return s.Update(ctx, s.pod)
}

// trapOfRestored has the caller's context again.
func (s *server) trapOfRestored(ctx context.Context) (err error) {
	defer func() { err = s.summarize(ctx, err) }()
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = s.Update(ctx, s.pod)
	ctx = outer
	return err
}

// trapOfSometimes has a timeout for large ones only.
func (s *server) trapOfSometimes(ctx context.Context, pods []*corev1.Pod) (err error) {
	defer func() { err = s.summarize(ctx, err) }()
	if len(pods) > 10 {
		bounded, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		for _, pod := range pods {
			if err := s.Update(bounded, pod); err != nil {
				return err
			}
		}
	}
	return s.Update(ctx, s.pod)
}

// trapOfInner cancels in another function.
func (s *server) trapOfInner(ctx context.Context) (err error) {
	defer func() { err = s.summarize(ctx, err) }()
	work := func() error {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		return s.Update(ctx, s.pod)
	}
	return work()
}

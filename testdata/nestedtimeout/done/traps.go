package done

import (
	"context"
	"errors"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// fresh is how it is done.
func (s *server) fresh(ctx context.Context) error {
	<-ctx.Done()
	shutdownCtx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.http.Shutdown(shutdownCtx)
}

// disconnects shuts something of another module down, which may do so at once.
func disconnects(ctx context.Context, conn *http2.ClientConn) error {
	<-ctx.Done()
	return conn.Shutdown(ctx)
}

// unused cancels the timeout before anything uses it.
func (s *server) unused(ctx context.Context) {
	<-ctx.Done()
	shutdownCtx, cancel := context.WithTimeout(ctx, 5*time.Second) // want `^hygiene: the timeout of 5s is over before it begins: ctx has ended`
	cancel()
	_ = s.http.Shutdown(shutdownCtx) // want `^hygiene: Shutdown waits for no request: shutdownCtx has ended`
}

// What the cache has it answers all the same.
func (s *server) readsAfterwards(ctx context.Context) error {
	<-ctx.Done()
	return s.Get(ctx, client.ObjectKeyFromObject(s.pod), s.pod)
}

// severed is how it is done, too.
func (s *server) severed(ctx context.Context) error {
	<-ctx.Done()
	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return s.http.Shutdown(shutdownCtx)
}

// replaced assigns a live context first.
func (s *server) replaced(ctx context.Context) error {
	<-ctx.Done()
	ctx = context.WithoutCancel(ctx)
	return s.http.Shutdown(ctx)
}

// parent goes on when the child has ended.
func (s *server) parent(ctx context.Context, ready <-chan struct{}) error {
	waitCtx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	select {
	case <-ready:
	case <-waitCtx.Done():
		return s.Status().Update(ctx, s.pod)
	}
	return s.Update(ctx, s.pod)
}

// other case of the select: the context lives.
func (s *server) other(ctx context.Context, stop <-chan struct{}) error {
	select {
	case <-stop:
		return s.http.Shutdown(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// merged may come from either case.
func (s *server) merged(ctx context.Context, stop <-chan struct{}) error {
	select {
	case <-stop:
	case <-ctx.Done():
	}
	return s.http.Shutdown(ctx)
}

// logs only.
func (s *server) logs(ctx context.Context) error {
	<-ctx.Done()
	ctrllog.FromContext(ctx).Info("stopping")
	klog.FromContext(ctx).Info("stopping")
	return context.Cause(ctx)
}

// round makes a context for each round.
func (s *server) round(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		roundCtx, cancel := context.WithTimeout(ctx, time.Second)
		err := s.Update(roundCtx, pod)
		cancel()
		if err != nil {
			return err
		}
	}
	return s.Status().Update(ctx, s.pod)
}

// restart cancels what the round before has started.
func (s *server) restart(ctx context.Context, pods <-chan *corev1.Pod) {
	var stop context.CancelFunc
	for pod := range pods {
		podCtx, cancel := context.WithCancel(ctx)
		if stop != nil {
			stop()
		}
		stop = cancel
		_ = s.Update(podCtx, pod)
	}
	if stop != nil {
		stop()
	}
}

// restartCaptured is the same with a captured variable.
func (s *server) restartCaptured(ctx context.Context, pods <-chan *corev1.Pod) {
	var stop context.CancelFunc
	defer func() {
		if stop != nil {
			stop()
		}
	}()
	for pod := range pods {
		podCtx, cancel := context.WithCancel(ctx)
		if stop != nil {
			stop()
		}
		stop = cancel
		_ = s.Update(podCtx, pod)
	}
}

// lostLease may return while the context lives.
func (s *server) lostLease(ctx context.Context, config leaderelection.LeaderElectionConfig) error {
	leaderelection.RunOrDie(ctx, config)
	shutdownCtx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return s.http.Shutdown(shutdownCtx)
}

// groupParent uses the parent of the group's context.
func (s *server) groupParent(ctx context.Context, pods []*corev1.Pod) error {
	g, groupCtx := errgroup.WithContext(ctx)
	for _, pod := range pods {
		g.Go(func() error { return s.Update(groupCtx, pod) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Status().Update(ctx, s.pod)
}

// onError cancels only where it returns.
func (s *server) onError(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	if err := s.Update(ctx, s.pod); err != nil {
		cancel()
		return err
	}
	defer cancel()
	return s.Status().Update(ctx, s.pod)
}

// flagged goes one way or the other.
func (s *server) flagged(ctx context.Context, stop bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if stop {
		cancel()
	}
	if !stop {
		return s.Update(ctx, s.pod)
	}
	return nil
}

// asks before it works, so that it may be called at any time.
func (s *server) asks(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	return s.Update(ctx, s.pod)
}

func (s *server) callsAsks(ctx context.Context) error {
	<-ctx.Done()
	return s.asks(ctx)
}

// detaches if it has to.
func (s *server) detaches(ctx context.Context) error {
	if ctx.Err() != nil {
		ctx = context.Background()
	}
	return s.Update(ctx, s.pod)
}

func (s *server) callsDetaches(ctx context.Context) error {
	<-ctx.Done()
	return s.detaches(ctx)
}

// inner error says nothing of the outer context.
func (s *server) inner(ctx context.Context) error {
	inner, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := s.Update(inner, s.pod); errors.Is(err, context.DeadlineExceeded) {
		return s.Status().Update(ctx, s.pod)
	}
	return nil
}

// deferredAfter runs before the context is cancelled.
func (s *server) deferredAfter(parent context.Context) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	defer func() { _ = s.Delete(ctx, s.pod) }()
	return s.Update(ctx, s.pod)
}

// alive checks that the context has not ended.
func (s *server) alive(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.Update(ctx, s.pod)
}

// renewed is cancelled and made anew.
func (s *server) renewed() error {
	s.cancel()
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s.Update(s.ctx, s.pod)
}

// failed returns when it could not start.
func (s *server) failed(ctx context.Context) error {
	if err := run(ctx, s.http.ListenAndServe); err != nil {
		return s.Status().Update(ctx, s.pod)
	}
	return nil
}

// watchdog cancels from a goroutine, some day.
func (s *server) watchdog(ctx context.Context, lost <-chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-lost
		cancel()
	}()
	return s.Update(ctx, s.pod)
}

// last cancels to end the polling.
func (s *server) last(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	check := func() {
		if err := s.Get(ctx, client.ObjectKeyFromObject(s.pod), s.pod); err != nil {
			return
		}
		if s.pod.Status.Phase == corev1.PodRunning {
			cancel()
		}
	}
	wait.Until(check, time.Second, ctx.Done())
	return context.Cause(ctx)
}

// manageFailed may have failed while the context lives.
func (s *server) manageFailed(ctx context.Context, mgr manager.Manager) error {
	err := mgr.Start(ctx)
	return errors.Join(err, s.http.Shutdown(ctx))
}

func isDone(ctx context.Context) bool { return ctx.Err() != nil }

// asksHelper asks before it works.
func (s *server) asksHelper(ctx context.Context) error {
	if isDone(ctx) {
		return nil
	}
	return s.Update(ctx, s.pod)
}

func (s *server) callsAsksHelper(ctx context.Context) error {
	<-ctx.Done()
	return s.asksHelper(ctx)
}

// suppressed is meant so.
func (s *server) suppressed(ctx context.Context) error {
	<-ctx.Done()
	return s.http.Shutdown(ctx) //nolint:nestedtimeout // cuts off what is open
}

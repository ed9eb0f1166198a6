// Package done uses contexts that have ended.
package done

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

type server struct {
	client.Client
	http   *http.Server
	pod    *corev1.Pod
	ctx    context.Context
	cancel context.CancelFunc
}

func (s *server) shutdown(ctx context.Context) error {
	<-ctx.Done()
	shutdownCtx, cancel := context.WithTimeout(ctx, 5*time.Second) // want `^loss: the timeout of 5s is over before it begins: ctx has ended \(waited for on line \d+\); derive it from context\.WithoutCancel\(ctx\).*nestedtimeout/already-done`
	defer cancel()
	return s.http.Shutdown(shutdownCtx)
}

func (s *server) shutdownDirect(ctx context.Context) error {
	<-ctx.Done()
	return s.http.Shutdown(ctx) // want `^hygiene: Shutdown waits for no request: ctx has ended \(waited for on line \d+\); pass context\.WithoutCancel\(ctx\) with a timeout of its own`
}

func (s *server) shutdownByHelper(ctx context.Context) error {
	<-ctx.Done()
	return s.stopServing(ctx) // want `^hygiene: Shutdown in stopServing \(done/mistakes\.go:\d+\) waits for no request: ctx has ended \(waited for on line \d+\)`
}

func (s *server) stopServing(ctx context.Context) error { return s.http.Shutdown(ctx) }

func (s *server) selectCase(ctx context.Context, failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return s.http.Shutdown(ctx) // want `^hygiene: Shutdown waits for no request: ctx has ended \(waited for on line \d+\)`
	}
}

func (s *server) afterLoop(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
loop:
	for {
		select {
		case <-ticker.C:
			if err := s.Update(ctx, s.pod); err != nil {
				continue
			}
		case <-ctx.Done():
			break loop
		}
	}
	return s.Delete(ctx, s.pod) // want `^loss: Delete fails at once: ctx has ended \(waited for on line \d+\)`
}

func (s *server) afterErr(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := s.Update(ctx, s.pod); err != nil {
			return err
		}
	}
	return s.Delete(ctx, s.pod) // want `^loss: Delete fails at once: ctx has ended \(waited for on line \d+\)`
}

func (s *server) ifErr(ctx context.Context) error {
	if err := s.Update(ctx, s.pod); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return s.Status().Update(ctx, s.pod) // want `^loss: Update fails at once: ctx has ended \(waited for on line \d+\)`
		}
		return err
	}
	return nil
}

// leading waits in one case, and runs until its context ends or the lease is
// lost in the other.
func (s *server) leading(ctx context.Context, elect bool, config leaderelection.LeaderElectionConfig) error {
	if !elect {
		<-ctx.Done()
	} else {
		leaderelection.RunOrDie(ctx, config)
	}
	shutdownCtx, cancel := context.WithTimeout(ctx, 5*time.Second) // want `^loss: the timeout of 5s is over before it begins: ctx has ended \(waited for on line \d+\)`
	defer cancel()
	return s.http.Shutdown(shutdownCtx)
}

func (s *server) afterUntil(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) { _ = s.Update(ctx, s.pod) }, time.Minute)
	return s.Status().Update(ctx, s.pod) // want `^loss: Update fails at once: ctx has ended \(waited for on line \d+\)`
}

func (s *server) afterUntilChannel(ctx context.Context) error {
	wait.Until(func() { _ = s.Update(ctx, s.pod) }, time.Minute, ctx.Done())
	return s.Status().Update(ctx, s.pod) // want `^loss: Update fails at once: ctx has ended \(waited for on line \d+\)`
}

func (s *server) notSynced(ctx context.Context, synced cache.InformerSynced) error {
	if !cache.WaitForCacheSync(ctx.Done(), synced) {
		return s.Status().Update(ctx, s.pod) // want `^loss: Update fails at once: ctx has ended \(waited for on line \d+\)`
	}
	return nil
}

func block(ctx context.Context) {
	ch := ctx.Done()
	<-ch
}

func (s *server) afterCallee(ctx context.Context) error {
	block(ctx)
	return s.http.Shutdown(ctx) // want `^hygiene: Shutdown waits for no request: ctx has ended \(waited for on line \d+\)`
}

// run returns nil only when it was told to stop.
func run(ctx context.Context, start func() error) error {
	if err := start(); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (s *server) afterRun(ctx context.Context) error {
	if err := run(ctx, s.http.ListenAndServe); err != nil {
		return err
	}
	return s.http.Shutdown(ctx) // want `^hygiene: Shutdown waits for no request: ctx has ended \(waited for on line \d+\)`
}

func (s *server) finish(ctx context.Context) error {
	s.pod.Status.Phase = corev1.PodFailed
	return s.Status().Update(ctx, s.pod)
}

func (s *server) throughCallee(ctx context.Context) error {
	<-ctx.Done()
	return s.finish(ctx) // want `Update in finish \(done/mistakes.go:\d+\) fails at once: ctx has ended \(waited for on line \d+\)`
}

func (s *server) group(ctx context.Context, pods []*corev1.Pod) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, pod := range pods {
		g.Go(func() error { return s.Update(ctx, pod) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Status().Update(ctx, s.pod) // want `^loss: Update fails at once: ctx has ended \(by the group's Wait on line \d+\)`
}

func (s *server) afterCancel(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.Update(ctx, s.pod); err != nil {
		return err
	}
	cancel()
	return s.Status().Update(ctx, s.pod) // want `^loss: Update fails at once: ctx has ended \(cancelled on line \d+\)`
}

func (s *server) fallback(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.Update(ctx, s.pod); err != nil {
		cancel()
		s.pod.ResourceVersion = ""
	}
	return s.Patch(ctx, s.pod, client.Merge) // want `cancelled on line \d+`
}

// conn cancels the context that it was made with.
type conn struct {
	ctx    context.Context
	cancel context.CancelFunc
}

func dial(ctx context.Context, cancel context.CancelFunc, secure bool) (*conn, error) {
	return &conn{ctx: ctx, cancel: cancel}, nil
}

func (c *conn) check() error { return c.ctx.Err() }

// Close cancels.
func (c *conn) Close() error {
	c.cancel()
	return nil
}

func (s *server) connect(ctx context.Context, cancel context.CancelFunc) (*conn, error) {
	secure := func() (c *conn, err error) {
		defer func() {
			if err != nil && c != nil {
				_ = c.Close()
			}
		}()
		if c, err = dial(ctx, cancel, true); err != nil {
			return nil, err
		}
		if err = c.check(); err != nil {
			return c, err
		}
		return c, nil
	}
	c, err := secure()
	if err != nil {
		if err := s.Update(ctx, s.pod); err != nil { // want `Update gets a context that has ended and does nothing: ctx was cancelled by the Close on line \d+; give it one of its own`
			return nil, err
		}
		return dial(ctx, cancel, false)
	}
	return c, nil
}

// tunnel has the Close of what it embeds.
type tunnel struct{ conn }

func dialTunnel(ctx context.Context, cancel context.CancelFunc) (*tunnel, error) {
	return &tunnel{conn{ctx: ctx, cancel: cancel}}, nil
}

func (s *server) tunnel(ctx context.Context, cancel context.CancelFunc) (*tunnel, error) {
	t, err := dialTunnel(ctx, cancel)
	if err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		t.Close()
		return nil, s.Status().Update(ctx, s.pod) // want `Update gets a context that has ended and does nothing: ctx was cancelled by the Close on line \d+`
	}
	return t, nil
}

func (s *server) deferredBefore(parent context.Context) error {
	ctx, cancel := context.WithCancel(parent)
	defer func() {
		_ = s.Delete(ctx, s.pod) // want `^loss: Delete fails at once: the cancel of ctx is deferred later \(line \d+\), and so runs first; pass context\.WithoutCancel\(ctx\) with a timeout of its own`
	}()
	defer cancel()
	return s.Update(ctx, s.pod)
}

func (s *server) stopSignal(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	<-ctx.Done()
	stop()
	drain, cancel := context.WithDeadline(ctx, time.Now().Add(time.Minute)) // want `the timeout of 1m is over before it begins: ctx has ended \(cancelled on line \d+\)`
	defer cancel()
	return s.http.Shutdown(drain)
}

func (s *server) inGoroutine(ctx context.Context) error {
	go func() {
		<-ctx.Done()
		c, cancel := context.WithTimeout(ctx, 10*time.Second) // want `the timeout of 10s is over before it begins: ctx has ended \(waited for on line \d+\)`
		defer cancel()
		_ = s.http.Shutdown(c)
	}()
	return s.http.ListenAndServe()
}

func (s *server) secondWait(ctx context.Context) error {
	waitCtx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	<-waitCtx.Done()
	return wait.PollUntilContextCancel(waitCtx, time.Second, true, func(ctx context.Context) (bool, error) { // want `^loss: PollUntilContextCancel fails at once: waitCtx has ended \(waited for on line \d+\)`
		return true, s.Get(ctx, client.ObjectKeyFromObject(s.pod), s.pod)
	})
}

func (s *server) ownContext() error {
	s.cancel()
	return s.Update(s.ctx, s.pod) // want `^loss: Update fails at once: s\.ctx has ended \(cancelled on line \d+\)`
}

func (s *server) manage(ctx context.Context, mgr manager.Manager) error {
	if err := mgr.Start(ctx); err != nil {
		return err
	}
	return s.http.Shutdown(ctx) // want `^hygiene: Shutdown waits for no request: ctx has ended \(waited for on line \d+\)`
}

// start returns nil when it was told to stop.
func start(ctx context.Context, mgr manager.Manager) error {
	if mgr == nil {
		return errors.New("no manager")
	}
	return mgr.Start(ctx)
}

func (s *server) manageDeferred(ctx context.Context, mgr manager.Manager) {
	defer func() {
		_ = s.http.Shutdown(ctx) // want `^hygiene: Shutdown waits for no request: ctx has ended \(waited for on line \d+\)`
	}()
	if err := start(ctx, mgr); err != nil {
		os.Exit(1)
	}
}

type shutter interface {
	Shutdown(ctx context.Context) error
}

func shutdownOf[S shutter](ctx context.Context, s S) error {
	<-ctx.Done()
	shutdownCtx, cancel := context.WithTimeout(ctx, time.Second) // want `the timeout of 1s is over before it begins: ctx has ended \(waited for on line \d+\)`
	defer cancel()
	return s.Shutdown(shutdownCtx)
}

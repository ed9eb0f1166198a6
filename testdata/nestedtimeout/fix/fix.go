// Package fix has findings with a suggested fix.
package fix

import (
	"context"
	stdctx "context"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

type server struct {
	http *http.Server
	ctx  context.Context
}

func (s *server) shutdown(ctx context.Context) error {
	<-ctx.Done()
	shutdownCtx, cancel := context.WithTimeout(ctx, 5*time.Second) // want `already-done`
	defer cancel()
	return s.http.Shutdown(shutdownCtx)
}

func (s *server) field() error {
	<-s.ctx.Done()
	ctx, cancel := stdctx.WithDeadline(s.ctx, time.Now().Add(time.Minute)) // want `already-done`
	defer cancel()
	return s.http.Shutdown(ctx)
}

func (s *server) value(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(context.Context) {}, time.Minute)
	c, cancel := context.WithTimeout(context.WithValue(ctx, key{}, "stop"), time.Minute) // want `already-done`
	defer cancel()
	return s.http.Shutdown(c)
}

type key struct{}

// direct has no timeout that could be kept: how long to wait is for a human
// to say.
func (s *server) direct(ctx context.Context) error {
	<-ctx.Done()
	return s.http.Shutdown(ctx) // want `already-done`
}

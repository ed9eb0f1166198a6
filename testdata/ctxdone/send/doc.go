// Package send has sends and receives whose peer may be gone.
package send

import (
	"context"
	"io"
	"time"

	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Server answers requests; nothing calls it but code elsewhere.
type Server struct {
	client   client.Client
	informer cache.SharedIndexInformer
	registry registry
}

// registry is code that is not known: it calls what it is given some day.
type registry interface {
	Register(func(*v1.Backup))
}

// stream is the server's end of a stream.
type stream interface {
	Context() context.Context
	Send(*v1.Backup) error
}

func probe(ctx context.Context, name string) error {
	if name == "" {
		return io.EOF
	}
	return ctx.Err()
}

func deadline() time.Duration { return time.Now().Sub(time.Unix(0, 0)) }

func handle(b *v1.Backup) error {
	if b == nil {
		return io.EOF
	}
	return nil
}

func note(string) {}

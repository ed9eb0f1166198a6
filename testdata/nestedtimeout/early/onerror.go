package early

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

var errNotReady = errors.New("not ready")

// trapOfFailed cancels only if it returns an error, and then no session.
func (c *collector) trapOfFailed(ctx context.Context) (s *session, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		if err != nil {
			cancel()
			err = errors.Join(errNotReady, err)
		}
	}()
	if err = c.Get(ctx, client.ObjectKey{}, nil); err != nil {
		return
	}
	s = &session{ctx: ctx, c: c.Client}
	return
}

// open is trapOfFailed with a context of its caller's.
func (c *collector) open(ctx context.Context, cancel context.CancelFunc) (s *session, err error) {
	defer func() {
		if err != nil {
			cancel()
			err = errors.Join(errNotReady, err)
		}
	}()
	err = c.Get(ctx, client.ObjectKey{}, nil)
	if err != nil {
		return nil, err
	}
	s = &session{ctx: ctx, c: c.Client}
	return
}

func (c *collector) opens(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithCancel(ctx)
	return c.open(ctx, cancel)
}

// trapOfKept cancels unless it hands over.
func (c *collector) trapOfKept(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithCancel(ctx)
	kept := false
	defer func() {
		if !kept {
			cancel()
		}
	}()
	if err := c.Get(ctx, client.ObjectKey{}, nil); err != nil {
		return nil, err
	}
	s := &session{ctx: ctx, c: c.Client}
	kept = true
	return s, nil
}

// succeeded cancels what it returns: it asks for the contrary.
func (c *collector) succeeded(ctx context.Context) (s *session, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		if err == nil {
			cancel()
		}
	}()
	if err = c.Get(ctx, client.ObjectKey{}, nil); err != nil {
		return
	}
	s = &session{ctx: ctx, c: c.Client} // want `the caller cannot use the context in its field ctx: the context that it needs is cancelled before \(line \d+\)`
	return
}

// reset has an error that is set before the other literal asks for it.
func (c *collector) reset(ctx context.Context) (s *session, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	defer func() { err = ctx.Err() }()
	if err = c.Get(ctx, client.ObjectKey{}, nil); err != nil {
		return
	}
	s = &session{ctx: ctx, c: c.Client} // want `the caller cannot use the context in its field ctx: the context that it needs is cancelled before \(line \d+\)`
	return
}

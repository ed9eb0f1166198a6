package early

import (
	"context"
	"io"
	"net/http"
	"time"
)

// The request gets another context by one of two ways.

func (c *collector) either(ctx context.Context, url string, limit time.Duration) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		short, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		req = req.WithContext(short)
	} else {
		req = req.WithContext(ctx)
	}
	return http.DefaultClient.Do(req) // want `the caller cannot use the response's body: the context that it needs is cancelled before \(line \d+\)`
}

// The caller's by both.
func (c *collector) trapOfEither(ctx context.Context, url string, limit time.Duration) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		short, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if err := c.ask(short); err != nil {
			return nil, err
		}
		req = req.WithContext(context.WithoutCancel(short))
	}
	return http.DefaultClient.Do(req)
}

func (c *collector) ask(ctx context.Context) error { return ctx.Err() }

// The body has been read by then.
func (c *collector) trapOfEitherRead(ctx context.Context, url string, limit time.Duration) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		short, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		req = req.WithContext(short)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

package early

import (
	"context"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// What needs the context comes out of helpers, literals, and functions that run
// them.

func send(req *http.Request) (*http.Response, error) { return http.DefaultClient.Do(req) }

func (c *collector) sent(ctx context.Context, url string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return send(req) // want `the caller cannot use the response's body: the context that it needs is cancelled before \(line \d+\)`
}

func (c *collector) opened(ctx context.Context) (watch.Interface, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	open := func() (watch.Interface, error) {
		return c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the caller cannot use the watch: the context that it needs is cancelled before \(line \d+\)`
	}
	return open()
}

// measured runs what it is handed and notes how long that takes.
func measured[T any](note func(time.Duration), run func() (T, error)) (T, error) {
	start := time.Now()
	defer func() { note(time.Since(start)) }()
	return run()
}

func run[T any](f func() (T, error)) (T, error) { return f() }

func (c *collector) openedBy(ctx context.Context) (watch.Interface, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return run(func() (watch.Interface, error) {
		return c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the caller cannot use the watch: the context that it needs is cancelled before \(line \d+\)`
	})
}

// The request's context is the caller's.
func (c *collector) trapOfSend(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	_, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return send(req)
}

func (c *collector) trapOfLiteral(ctx context.Context) (watch.Interface, error) {
	limited := func() (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, time.Minute) }
	short, cancel := limited()
	defer cancel()
	if _, err := c.clients.CoreV1().Pods("").List(short, metav1.ListOptions{}); err != nil {
		return nil, err
	}
	return run(func() (watch.Interface, error) { return c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) })
}

func (c *collector) trapOfMeasured(ctx context.Context) (watch.Interface, error) {
	return measured(func(time.Duration) {}, func() (watch.Interface, error) {
		return c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	})
}

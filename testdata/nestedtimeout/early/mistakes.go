// Package early cancels contexts that are still needed.
package early

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type collector struct {
	client.Client
	clients kubernetes.Interface
	db      *sql.DB
}

func (c *collector) body(ctx context.Context, url string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req) // want `the caller cannot use the response's body: the context that it needs is cancelled before \(line \d+\); cancel when the caller is done with it.*nestedtimeout/cancelled-early`
}

func (c *collector) reads(ctx context.Context, url string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req) // want `the caller cannot use the response's body: the context that it needs is cancelled before \(line \d+\)`
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func (c *collector) checked(ctx context.Context, url string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req) // want `the caller cannot use the response's body: the context that it needs is cancelled before \(line \d+\)`
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return nil, &failure{string(text)}
	}
	return resp, nil
}

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

func (c *collector) bodyAfterCancel(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	cancel()
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body) // want `the response's body fails or stops at once: it is used after its context was cancelled \(line \d+\)`
}

func (c *collector) watch(ctx context.Context) (watch.Interface, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{}) // want `the caller cannot use the watch: the context that it needs is cancelled before \(line \d+\)`
}

func (c *collector) logs(ctx context.Context, pod *corev1.Pod) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return c.clients.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{}).Stream(ctx) // want `the caller cannot use the stream: the context that it needs is cancelled before \(line \d+\)`
}

func (c *collector) rows(ctx context.Context) (*sql.Rows, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	rows, err := c.db.QueryContext(ctx, "select 1") // want `the caller cannot use the rows: the context that it needs is cancelled before \(line \d+\)`
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (c *collector) begin(ctx context.Context) (*sql.Tx, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return c.db.BeginTx(ctx, nil) // want `the caller cannot use the transaction: the context that it needs is cancelled before \(line \d+\)`
}

// session keeps its context.
type session struct {
	ctx context.Context
	c   client.Client
}

func (s *session) get(pod *corev1.Pod) error {
	return s.c.Get(s.ctx, client.ObjectKeyFromObject(pod), pod)
}

func (c *collector) session(ctx context.Context) *session {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return &session{ctx: ctx, c: c.Client} // want `the caller cannot use the context in its field ctx: the context that it needs is cancelled before \(line \d+\)`
}

func newSession(ctx context.Context, c client.Client) *session { return &session{ctx, c} }

func (c *collector) throughHelper(ctx context.Context) *session {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return newSession(ctx, c.Client) // want `the caller cannot use the context in its field ctx: the context that it needs is cancelled before \(line \d+\)`
}

func fetch(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req)
}

func (c *collector) throughFetch(ctx context.Context, url string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return fetch(ctx, url) // want `the caller cannot use the response's body: the context that it needs is cancelled before \(line \d+\)`
}

func (c *collector) goroutine(ctx context.Context, pod *corev1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	go func() { // want `Update in this goroutine fails: its context ends when goroutine returns \(line \d+\), which does not wait`
		_ = c.Status().Update(ctx, pod)
	}()
}

func (c *collector) notify(ctx context.Context, pod *corev1.Pod) {
	_ = c.Update(ctx, pod)
}

func (c *collector) goroutineOfMethod(ctx context.Context, pod *corev1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	go c.notify(ctx, pod) // want `Update in this goroutine fails: its context ends when goroutineOfMethod returns \(line \d+\), which does not wait`
}

func (c *collector) events(ctx context.Context) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	w, err := c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	cancel()
	if err != nil {
		return 0, err
	}
	defer w.Stop()
	n := 0
	for range w.ResultChan() { // want `the watch fails or stops at once: it is used after its context was cancelled \(line \d+\)`
		n++
	}
	return n, nil
}

package early

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// read consumes the body first.
func (c *collector) read(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// status returns the response when the body has been read.
func (c *collector) status(ctx context.Context, url string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp, err
}

// code needs nothing but the header.
func (c *collector) code(ctx context.Context, url string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	cancel()
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

// handOver gives the caller what cancels the context.
func (c *collector) handOver(ctx context.Context) (watch.Interface, context.CancelFunc, error) {
	ctx, cancel := context.WithCancel(ctx)
	w, err := c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return w, cancel, nil
}

// pod is a plain object.
func (c *collector) pod(ctx context.Context, name string) (*corev1.Pod, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return c.clients.CoreV1().Pods("").Get(ctx, name, metav1.GetOptions{})
}

// outlived is made with the caller's context.
func (c *collector) outlived(ctx context.Context) (watch.Interface, error) {
	listCtx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := c.clients.CoreV1().Pods("").List(listCtx, metav1.ListOptions{}); err != nil {
		return nil, err
	}
	return c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
}

// until watches for as long as the function runs.
func (c *collector) until(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	w, err := c.clients.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if event.Type == watch.Deleted {
			return nil
		}
	}
	return ctx.Err()
}

// accompanied stops its helper when it returns.
func (c *collector) accompanied(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				_ = c.Status().Update(ctx, pod)
			}
		}
	}()
	return c.Update(ctx, pod)
}

// joined waits for its goroutines.
func (c *collector) joined(ctx context.Context, pods []*corev1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var group sync.WaitGroup
	for _, pod := range pods {
		group.Add(1)
		go func() {
			defer group.Done()
			_ = c.Update(ctx, pod)
		}()
	}
	group.Wait()
}

// answered waits for an answer.
func (c *collector) answered(ctx context.Context, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- c.Update(ctx, pod) }()
	return <-done
}

// own gives the goroutine a context of its own.
func (c *collector) own(pod *corev1.Pod) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = c.Update(ctx, pod)
	}()
}

// finished has done its work before it is returned.
func (c *collector) finished(ctx context.Context, pod *corev1.Pod) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s := &session{ctx: ctx, c: c.Client}
	err := s.get(pod)
	return s, err
}

// request is not sent here.
func (c *collector) request(ctx context.Context, url string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
}

// rotator is set up under a timeout, and gets another context when it starts.
type rotator struct {
	ctx context.Context
	c   client.Client
}

func newRotator(c client.Client) (starter, error) {
	r := &rotator{c: c}
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.c.Get(r.ctx, client.ObjectKey{Name: "ca"}, &corev1.Secret{}); err != nil {
		return nil, err
	}
	return r, nil
}

type starter interface {
	Start(ctx context.Context) error
}

func (r *rotator) Start(ctx context.Context) error {
	r.ctx = ctx
	return r.rotate()
}

func (r *rotator) rotate() error {
	return r.c.Get(r.ctx, client.ObjectKey{Name: "ca"}, &corev1.Secret{})
}

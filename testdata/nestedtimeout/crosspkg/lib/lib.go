// Package lib has helpers that other packages call.
package lib

import (
	"context"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// WaitForPod gives up after five minutes.
func WaitForPod(ctx context.Context, c client.Client, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return c.Get(ctx, client.ObjectKeyFromObject(pod), pod)
}

// Short derives a context that ends soon.
func Short(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 5*time.Second)
}

// Block returns when the context ends.
func Block(ctx context.Context) { <-ctx.Done() }

// Finish writes the object.
func Finish(ctx context.Context, c client.Client, pod *corev1.Pod) error { return c.Update(ctx, pod) }

// Fetch returns a response whose body is to be read.
func Fetch(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req)
}

// Stop cancels.
func Stop(cancel context.CancelFunc, reason string) {
	defer cancel()
	println(reason)
}

// Detached does not care for its context.
func Detached(ctx context.Context, c client.Client, pod *corev1.Pod) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return c.Update(ctx, pod)
}

// Exit cancels, and ends the process in a function of its own.
func Exit(cancel context.CancelFunc) {
	cancel()
	exit(1)
}

func exit(code int) { os.Exit(code) }

// Package api talks to a server for others.
package api

import (
	"context"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Client is how others know it.
type Client interface {
	Version(ctx context.Context) (string, error)
	Drop(ctx context.Context, name string) error
	Delete(ctx context.Context, name string) error
	Limited(ctx context.Context) error
}

type client struct {
	url     string
	http    *http.Client
	limited *http.Client
}

// New returns a client of the server that a Service is for.
func New(service *corev1.Service) Client {
	return &client{url: "http://" + service.Name + "/", http: &http.Client{}, limited: &http.Client{Timeout: time.Minute}}
}

func (c *client) Version(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return "", err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// Drop goes by the client that Version has.
func (c *client) Drop(ctx context.Context, name string) error { return c.send(ctx, name) }

// Delete limits the request itself.
func (c *client) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return c.send(ctx, name)
}

func (c *client) send(ctx context.Context, name string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.url+name, nil)
	if err != nil {
		return err
	}
	_, err = c.http.Do(req)
	return err
}

// Limited has a client with a timeout.
func (c *client) Limited(ctx context.Context) error {
	_, err := c.limited.Get(c.url)
	return err
}

// Ping has the default client.
func Ping(url string) error {
	_, err := http.Get(url)
	return err
}

// Again tries something three times. Whether that ends is for whoever hands it over.
func Again(try func() error) error {
	var err error
	for range 3 {
		if err = try(); err == nil {
			return nil
		}
	}
	return err
}

// Fetch tries three times to get something.
func Fetch(url string) error {
	return Again(func() error {
		_, err := http.Get(url)
		return err
	})
}

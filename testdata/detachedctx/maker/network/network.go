// Package network asks a cloud, under contexts of its own.
package network

import (
	"context"
	"net/http"
)

// Client is the cloud's.
type Client struct{ HTTP *http.Client }

func (c *Client) get(url string) error {
	req, err := http.NewRequestWithContext(context.TODO(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Ports lists them.
func (c *Client) Ports(id string) error { return c.get("https://example.com/ports/" + id) }

// Addresses lists them.
func (c *Client) Addresses(id string) error { return c.get("https://example.com/addresses/" + id) }

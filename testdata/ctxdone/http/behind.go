package http

import (
	"net/http"
	"time"
)

// proxy asks by helpers that are handed the client.
type proxy struct{ upstream string }

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ask(newBounded(), p.upstream)
	askUnbounded(&http.Client{}, p.upstream)
}

func newBounded() *http.Client { return &http.Client{Timeout: 2 * time.Second} }

// ask gives up by itself, whoever calls: not a finding.
func ask(c *http.Client, upstream string) {
	if resp, err := c.Get(upstream); err == nil {
		_ = resp.Body.Close()
	}
}

func askUnbounded(c *http.Client, upstream string) {
	if resp, err := c.Get(upstream); err == nil { // want `requests pile up here if no response comes.*\(ctxdone/http\)`
		_ = resp.Body.Close()
	}
}

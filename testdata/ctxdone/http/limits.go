package http

import (
	"net"
	"net/http"
	"time"
)

// logs asks by a client whose transport waits ten seconds for the header of a response.
type logs struct {
	client   *http.Client
	upstream string
}

func newLogs(upstream string) *logs {
	l := &logs{upstream: upstream}
	l.client = &http.Client{Transport: &http.Transport{
		Dial:                  (&net.Dialer{Timeout: time.Minute}).Dial,
		ResponseHeaderTimeout: 10 * time.Second,
	}}
	return l
}

func (l *logs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequest(http.MethodGet, l.upstream, nil)
	if err != nil {
		return
	}
	if resp, err := l.client.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}

// given asks by a client that somebody else makes, perhaps with a timeout.
type given struct {
	Client   *http.Client
	Upstream string
}

func (g *given) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if resp, err := g.Client.Get(g.Upstream); err == nil {
		_ = resp.Body.Close()
	}
}

// Package probe asks the servers how they are.
package probe

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	budget  = 10 * time.Second
	attempt = 30 * time.Second
)

// Prober asks servers. It is a manager.Runnable.
type Prober struct {
	HTTP    *http.Client
	Servers []string
}

// Start serves the results until ctx is done, and then lets requests finish.
func (p *Prober) Start(ctx context.Context) error {
	server := &http.Server{Addr: ":8090", Handler: http.NotFoundHandler(), ReadHeaderTimeout: budget}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	return server.Shutdown(grace)
}

// Ready waits until a server is ready.
func (p *Prober) Ready(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	if err := p.get(ctx, server+"/healthz"); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, time.Second, attempt, true, func(ctx context.Context) (bool, error) {
		return p.get(ctx, server+"/readyz") == nil, nil
	})
}

// Version asks a server for its version.
func (p *Prober) Version(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	short, cancelShort := context.WithTimeout(ctx, 5*time.Second)
	defer cancelShort()
	return p.get(short, server+"/version")
}

// Restart has a server write its data, and then restarts it.
func (p *Prober) Restart(ctx context.Context, server string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := p.get(ctx, server+"/save"); err != nil {
		return err
	}
	ctx, cancel = context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return p.get(ctx, server+"/restart")
}

// All asks each server that is due, until ctx is done.
func (p *Prober) All(ctx context.Context, due <-chan string) {
	for {
		select {
		case <-ctx.Done():
			return
		case server := <-due:
			attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			if err := p.get(attempt, server+"/readyz"); err != nil {
				fmt.Println(server, err)
			}
		}
	}
}

// Metrics opens a server's metrics; the caller closes them.
func (p *Prober) Metrics(ctx context.Context, server string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	resp, err := p.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func (p *Prober) get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := p.HTTP.Do(req)
	if err != nil {
		return err
	}
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}

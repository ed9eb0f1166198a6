package helpers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// part needs kinds that somebody else installs.
type part struct{ client.Client }

func (p *part) installed() bool {
	return p.List(context.TODO(), &v1.BackupList{}) == nil
}

// Run waits until the kinds are there, or for its end, and then starts.
func (p *part) Run(ctx context.Context) {
	ticker := time.NewTicker(10 * time.Minute)
	for !p.installed() {
		select {
		case <-ctx.Done():
			ticker.Stop()
			return
		case <-ticker.C:
		}
	}
	go wait.Until(p.work, time.Second, ctx.Done())
	<-ctx.Done()
}

func (p *part) work() {}

// poller does its work in the loop.
type poller struct{ client.Client }

func (p *poller) poll() error { // want `hygiene: List .*; give poll a context: Run has ctx \(detachedctx/helper\)`
	return p.List(context.TODO(), &v1.BackupList{})
}

func (p *poller) Run(ctx context.Context) error {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		if err := p.poll(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

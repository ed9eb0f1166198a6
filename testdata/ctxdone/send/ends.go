package send

import (
	"context"
	"time"

	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// prober asks in goroutines of its own.
type prober struct{ informer cache.SharedIndexInformer }

// Reconcile gives up when the manager stops: the goroutine ends with the process then.
func (p *prober) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result := make(chan error)
	p.ask(func() {
		result <- probe(ctx, req.Name) // want `hygiene: this goroutine hangs in its send on result if Reconcile stops receiving \(line \d+: its context is done\)`
	})
	select {
	case err := <-result:
		return ctrl.Result{}, err
	case <-ctx.Done():
		return ctrl.Result{}, ctx.Err()
	}
}

func (p *prober) ask(probe func()) { go probe() }

// WithLimit gives up long before, each time that nobody answers.
func (p *prober) WithLimit(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `leak: this goroutine hangs in its send on result if WithLimit stops receiving \(line \d+: its context is done\)`
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Follow sends to a goroutine that goes when the process is told to stop.
func (p *prober) Follow(stop <-chan struct{}) {
	updates := make(chan *v1.Backup)
	p.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		updates <- obj.(*v1.Backup) // want `hygiene: AddFunc hangs in its send on updates if Follow stops receiving \(line \d+: it is told to stop\)`
	}})
	for {
		select {
		case <-stop:
			return
		case b := <-updates:
			note(b.Name)
		}
	}
}

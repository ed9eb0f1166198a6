package send

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The receiver closes the channel when it goes: a send that waits then, or comes later, panics.

// ClosesWhenItGoes takes one value, or none, and closes the channel in a defer.
func (s *Server) ClosesWhenItGoes(ctx context.Context) error {
	done := make(chan struct{})
	defer close(done)
	_, err := s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			done <- struct{}{} // want `^crash: AddFunc panics in its send on done if ClosesWhenItGoes stops receiving \(line \d+: its context is done\) and closes it; leave it open, and select on ctx\.Done\(\)`
		},
	})
	if err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ClosesInLiteral closes both in one literal, and waits in a loop.
func (s *Server) ClosesInLiteral(ctx context.Context) error {
	stop := make(chan struct{})
	done := make(chan struct{})
	defer func() {
		close(stop)
		close(done)
	}()
	handle := func(any) {
		done <- struct{}{} // want `^crash: .*panics in its send on done if ClosesInLiteral stops receiving`
	}
	_, err := s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { handle(obj) }})
	if err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-done:
			return nil
		}
	}
}

// ClosesResult gives up after a while; the goroutine's one send panics then.
func ClosesResult(parent context.Context, name string) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	result := make(chan error)
	defer close(result)
	go func() {
		result <- probe(ctx, name) // want `^crash: this goroutine panics in its send on result if ClosesResult stops receiving \(line \d+: its time is up\) and closes it; leave it open, and give it a buffer of 1`
	}()
	select {
	case err := <-result:
		return err
	case <-time.After(deadline()):
		return context.DeadlineExceeded
	}
}

// ClosesBelow closes it on its way out.
func ClosesBelow(ctx context.Context, name string) (err error) {
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `^crash: this goroutine panics in its send on result if ClosesBelow stops receiving`
	}()
	select {
	case err = <-result:
	case <-time.After(deadline()):
		err = context.DeadlineExceeded
	}
	close(result)
	return err
}

// Where it is not certain that the channel is closed while the sender waits, the send hangs.

// WaitsBeforeItCloses never comes to the close.
func WaitsBeforeItCloses(ctx context.Context, name string) error {
	result := make(chan error)
	defer close(result)
	var group sync.WaitGroup
	defer group.Wait()
	group.Add(1)
	go func() {
		defer group.Done()
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if WaitsBeforeItCloses stops receiving`
	}()
	select {
	case err := <-result:
		return err
	case <-time.After(deadline()):
		return context.DeadlineExceeded
	}
}

// ClosesAfterAll closes when another goroutine has ended, which may be the sender.
func ClosesAfterAll(ctx context.Context, name string, over <-chan struct{}) error {
	result := make(chan error)
	defer close(result)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if ClosesAfterAll stops receiving`
	}()
	select {
	case err := <-result:
		return err
	case <-time.After(deadline()):
	}
	<-over
	return context.DeadlineExceeded
}

// StopsBeforeItCloses stops something first, which may wait for the sender.
func StopsBeforeItCloses(ctx context.Context, name string, runner interface{ Stop() }) error {
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if StopsBeforeItCloses stops receiving`
	}()
	var err error
	select {
	case err = <-result:
	case <-time.After(deadline()):
		err = context.DeadlineExceeded
	}
	runner.Stop()
	close(result)
	return err
}

// ClosesIfItWorked leaves the channel open when it gives up.
func ClosesIfItWorked(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if ClosesIfItWorked stops receiving`
	}()
	select {
	case err := <-result:
		close(result)
		return err
	case <-time.After(deadline()):
		return context.DeadlineExceeded
	}
}

// Recovers takes the panic for granted, and the goroutine goes on.
func Recovers(ctx context.Context, name string) error {
	result := make(chan error)
	defer close(result)
	go func() {
		defer func() { _ = recover() }()
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if Recovers stops receiving`
	}()
	select {
	case err := <-result:
		return err
	case <-time.After(deadline()):
		return context.DeadlineExceeded
	}
}

// Two informers report to one receiver, by handlers of their own: one cause.

type backupsSeen struct{ state chan<- string }

func (b *backupsSeen) added(obj any) {
	b.state <- obj.(*v1.Backup).Name // want `^stuck: AddFunc hangs in its send on state if the receiver stops receiving`
}

func (b *backupsSeen) deleted(any) { b.state <- "" }

type restoresSeen struct{ state chan<- string }

func (r *restoresSeen) added(any) { r.state <- "restore" }

// Summary listens to both, until its context ends.
func (s *Server) Summary(ctx context.Context, restores cache.SharedIndexInformer) {
	backupStates, restoreStates := make(chan string), make(chan string)
	b, r := &backupsSeen{state: backupStates}, &restoresSeen{state: restoreStates}
	_, _ = s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: b.added, DeleteFunc: b.deleted})
	_, _ = restores.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: r.added})
	go summarise(ctx, backupStates, restoreStates)
}

func summarise(ctx context.Context, backups, restores <-chan string) {
	seen := make(map[string]bool)
	for {
		select {
		case name := <-backups:
			seen[name] = true
		case name := <-restores:
			seen[name] = true
		case <-ctx.Done():
			return
		}
	}
}

package send

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ctxdone/send/consume"
)

// Many values, for which the receiver does not wait to the end.

// FirstError starts a goroutine for each name and returns with the first
// error.
func FirstError(ctx context.Context, names []string) error {
	failed := make(chan error)
	for _, name := range names {
		go func() {
			if err := probe(ctx, name); err != nil {
				failed <- err // want `this goroutine hangs in its send on failed if FirstError stops receiving \(line \d+: its context is done\); send in a select with ctx\.Done\(\).*ctxdone/blocking-send`
			}
		}()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// RoomForOne has room for the first of many.
func RoomForOne(ctx context.Context, names []string) error {
	failed := make(chan error, 1)
	for _, name := range names {
		go func() {
			failed <- probe(ctx, name) // want `this goroutine hangs in its send on failed if RoomForOne stops receiving \(line \d+: it returns\)`
		}()
	}
	return <-failed
}

// CountedButFails stops counting at the first error.
func CountedButFails(ctx context.Context, names []string) error {
	results := make(chan error)
	for _, name := range names {
		go func() {
			results <- probe(ctx, name) // want `this goroutine hangs in its send on results if CountedButFails stops receiving \(line \d+: it returns\)`
		}()
	}
	for range names {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}

// WatchBackups stops receiving when the client is gone; the informer does not
// know.
func (s *Server) WatchBackups(ws stream) error {
	ctx := ws.Context()
	updates := make(chan *v1.Backup)
	_, err := s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			updates <- obj.(*v1.Backup) // want `stuck: AddFunc hangs in its send on updates if WatchBackups stops receiving \(line \d+: its context is done\); send in a select with ws\.Context\(\)\.Done\(\)`
		},
		UpdateFunc: func(_, obj any) {
			updates <- obj.(*v1.Backup) // the same cause
		},
	})
	if err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case b := <-updates:
			if err := ws.Send(b); err != nil {
				return err
			}
		}
	}
}

// WatchWithRoom is full after ten events.
func (s *Server) WatchWithRoom(ctx context.Context, ws stream) error {
	updates := make(chan *v1.Backup, 10)
	_, err := s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			updates <- obj.(*v1.Backup) // want `stuck: AddFunc hangs in its send on updates if WatchWithRoom stops receiving \(line \d+: its context is done\)`
		},
	})
	if err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case b := <-updates:
			_ = ws.Send(b)
		}
	}
}

// WatchElsewhere hands the channel to a function of another package, which
// says that it stops with the context.
func (s *Server) WatchElsewhere(ws stream) {
	updates := make(chan *v1.Backup)
	s.registry.Register(func(b *v1.Backup) {
		updates <- b // want `leak: the callback hangs in its send on updates if Until stops receiving \(line \d+: it is told to stop\)`
	})
	go consume.Until(ws.Context().Done(), updates, func(b *v1.Backup) { _ = ws.Send(b) })
}

// WorkerLeaves waits for its only worker, which has gone when the context
// ended.
func WorkerLeaves(ctx context.Context, names []string) {
	jobs := make(chan string)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case name := <-jobs:
				note(name)
			}
		}
	}()
	for _, name := range names {
		jobs <- name // want `stuck: WorkerLeaves hangs in its send on jobs if the receiver stops receiving \(line \d+: its context is done\)`
	}
}

// ProducerStays sends for ever to one that has gone.
func ProducerStays(ctx context.Context) {
	names := make(chan string)
	go func() {
		for i := 0; i < 1000; i++ {
			names <- "name" // want `this goroutine hangs in its send on names if ProducerStays stops receiving \(line \d+: its context is done\)`
		}
		close(names)
	}()
	for {
		select {
		case name, ok := <-names:
			if !ok {
				return
			}
			note(name)
		case <-ctx.Done():
			return
		}
	}
}

// ConsumerFails stops when one item cannot be handled.
func ConsumerFails(backups []*v1.Backup) error {
	items := make(chan *v1.Backup)
	go func() {
		defer close(items)
		for _, b := range backups {
			items <- b // want `this goroutine hangs in its send on items if ConsumerFails stops receiving \(line \d+: it fails\)`
		}
	}()
	for b := range items {
		if err := handle(b); err != nil {
			return err
		}
	}
	return nil
}

// ToldToStop stops receiving when a channel that it is handed is closed.
func ToldToStop(stop <-chan struct{}, backups []*v1.Backup) {
	items := make(chan *v1.Backup)
	go func() {
		for _, b := range backups {
			items <- b // want `hygiene: this goroutine hangs in its send on items if ToldToStop stops receiving \(line \d+: it is told to stop\); send in a select with stop`
		}
	}()
	for {
		select {
		case b := <-items:
			_ = handle(b)
		case <-stop:
			return
		}
	}
}

// UntilLate receives for a minute.
func UntilLate(backups []*v1.Backup) {
	items := make(chan *v1.Backup)
	go func() {
		for _, b := range backups {
			items <- b // want `this goroutine hangs in its send on items if UntilLate stops receiving \(line \d+: its time is up\)`
		}
	}()
	late := time.After(time.Minute)
	for {
		select {
		case b := <-items:
			_ = handle(b)
		case <-late:
			return
		}
	}
}

// waiters keeps a channel for each backup that somebody waits for.
type waiters struct {
	byName map[string]chan *v1.Backup
}

func newWaiters(informer cache.SharedIndexInformer) *waiters {
	w := &waiters{byName: make(map[string]chan *v1.Backup)}
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) {
			b := obj.(*v1.Backup)
			if waiter, ok := w.byName[b.Name]; ok {
				waiter <- b // want `stuck: UpdateFunc hangs in its send on byName if Wait stops receiving \(line \d+: its context is done\)`
			}
		},
	})
	return w
}

// Wait waits for three changes.
func (w *waiters) Wait(ctx context.Context, name string) error {
	changes := make(chan *v1.Backup)
	w.byName[name] = changes
	defer delete(w.byName, name)
	for range 3 {
		select {
		case b := <-changes:
			note(b.Name)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// LooksTooEarly looks whether the receiver has gone, but not again when the
// work is done.
func LooksTooEarly(ctx context.Context, names []string) {
	found := make(chan error)
	go func() {
		defer close(found)
		for _, name := range names {
			select {
			case <-ctx.Done():
				return
			default:
			}
			err := probe(ctx, name)
			found <- err // want `this goroutine hangs in its send on found if LooksTooEarly stops receiving \(line \d+: its context is done\)`
		}
	}()
	for {
		select {
		case _, ok := <-found:
			if !ok {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// OneByOneOrDone gives up on the one that it waits for.
func OneByOneOrDone(ctx context.Context, names []string) error {
	result := make(chan error)
	for _, name := range names {
		go func() {
			result <- probe(ctx, name) // want `this goroutine hangs in its send on result if OneByOneOrDone stops receiving \(line \d+: its context is done\)`
		}()
		select {
		case err := <-result:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// GotForOthers gets with a context that is not the one by which its receiver leaves.
func GotForOthers(ctx context.Context, get func(context.Context) (string, error), names []string) (found []string, err error) {
	g, first := errgroup.WithContext(ctx)
	results := make(chan string)
	getForOthers(ctx, g, get, names, results)
	for range names {
		select {
		case name := <-results:
			found = append(found, name)
		case <-first.Done():
			return found, first.Err()
		}
	}
	return found, g.Wait()
}

func getForOthers(ctx context.Context, g *errgroup.Group, get func(context.Context) (string, error), names []string, results chan<- string) {
	for range names {
		g.Go(func() error {
			name, err := get(ctx)
			if err != nil {
				return err
			}
			results <- name // want `hangs in its send on results if GotForOthers stops receiving`
			return nil
		})
	}
}

// OneOfThree sends at one of three places, and is told once.
func OneOfThree(ctx context.Context, names []string) error {
	results := make(chan error)
	for _, name := range names {
		go func() {
			if name == "" {
				results <- nil // want `this goroutine hangs in its send on results if OneOfThree stops receiving`
			} else if len(name) > 63 {
				results <- context.Canceled
			} else {
				results <- probe(ctx, name)
			}
		}()
	}
	for range names {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}

// AsksByVariable has a function in a variable that serves nobody.
func AsksByVariable(ctx context.Context, names []string, quick bool) error {
	ask := probe
	if quick {
		ask = func(context.Context, string) error { return nil }
	}
	failed := make(chan error)
	for _, name := range names {
		go func() {
			failed <- ask(ctx, name) // want `this goroutine hangs in its send on failed if AsksByVariable stops receiving`
		}()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Rerun hands what sends to a function of another package, which runs it again.
func (s *Server) Rerun(work func() error) error {
	result := make(chan error)
	go func() {
		consume.Twice(func() { result <- work() }) // want `leak: the callback hangs in its send on result if Rerun stops receiving \(line \d+: it returns\)`
	}()
	return <-result
}

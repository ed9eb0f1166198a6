// Package send has sends and receives whose peer may be gone, as they were
// written before generics.
package send

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

func probe(ctx context.Context, name string) error {
	if name == "" {
		return context.Canceled
	}
	return ctx.Err()
}

// ResultOrTimeout gives up after a while.
func ResultOrTimeout(ctx context.Context, name string, patience time.Duration) error {
	result := make(chan error)
	go func() {
		result <- probe(ctx, name) // want `this goroutine hangs in its send on result if ResultOrTimeout stops receiving \(line \d+: its time is up\); give the channel a buffer of 1`
	}()
	select {
	case err := <-result:
		return err
	case <-time.After(patience):
		return context.DeadlineExceeded
	}
}

// WatchUntil stops receiving when it is told to; the informer does not know.
func WatchUntil(informer cache.SharedIndexInformer, stop <-chan struct{}, each func(*v1.Backup)) {
	updates := make(chan *v1.Backup)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj interface{}) {
			updates <- obj.(*v1.Backup) // want `hygiene: AddFunc hangs in its send on updates if WatchUntil stops receiving \(line \d+: it is told to stop\); send in a select with stop`
		},
	})
	for {
		select {
		case b := <-updates:
			each(b)
		case <-stop:
			return
		}
	}
}

// NothingOnError waits for a goroutine that may give up without a word.
func NothingOnError(ctx context.Context, name string) error {
	result := make(chan error)
	go func() {
		if err := probe(ctx, name); err != nil {
			return
		}
		result <- nil
	}()
	return <-result // want `hygiene: NothingOnError waits forever to receive from result: the sender may end without a send \(line \d+\)`
}

// renamed is a watch that changes what another one brings.
type renamed struct {
	source watch.Interface
	result chan watch.Event
}

func newRenamed(source watch.Interface) watch.Interface {
	w := &renamed{source: source, result: make(chan watch.Event)}
	go w.receive()
	return w
}

func (w *renamed) receive() {
	defer close(w.result)
	for event := range w.source.ResultChan() {
		w.result <- event // want `this goroutine hangs in its send on result after Stop of renamed, when nobody calls ResultChan`
	}
}

func (w *renamed) Stop() { w.source.Stop() }

func (w *renamed) ResultChan() <-chan watch.Event { return w.result }

// WatchOrDrop is right: it does not wait for a receiver.
func WatchOrDrop(informer cache.SharedIndexInformer, stop <-chan struct{}, each func()) {
	changed := make(chan struct{}, 1)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(interface{}) {
			select {
			case changed <- struct{}{}:
			default:
			}
		},
	})
	for {
		select {
		case <-changed:
			each()
		case <-stop:
			return
		}
	}
}

// CollectsAll is right: it hears that all senders have ended.
func CollectsAll(ctx context.Context, names []string) []error {
	failed := make(chan error)
	var wg sync.WaitGroup
	for i := range names {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			failed <- probe(ctx, name)
		}(names[i])
	}
	go func() {
		wg.Wait()
		close(failed)
	}()
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	return errs
}

// RoomForTheResult is right.
func RoomForTheResult(ctx context.Context, name string) error {
	result := make(chan error, 1)
	go func() { result <- probe(ctx, name) }()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

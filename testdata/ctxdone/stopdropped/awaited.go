package stopdropped

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
)

// Serve is told to wait for its workers by whoever gave it the group.
func Serve(work func(), stopCh <-chan struct{}, wg *sync.WaitGroup) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		wait.Until(work, time.Second, wait.NeverStop) // want `stuck: whoever waits for wg waits forever: wait\.Until goes on when stopCh has ended, since it is given wait\.NeverStop; pass stopCh`
	}()
	<-stopCh
}

// server waits for all that it has started.
type server struct {
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
}

func (s *server) start(work func()) {
	go func() {
		defer close(s.done)
		var wg sync.WaitGroup
		for range 3 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				wait.Forever(work, time.Second) // want `stuck: Stop \(line 47\) waits forever: wait\.Forever goes on when s\.ctx has ended, since it takes no context; use wait\.UntilWithContext with s\.ctx`
			}()
		}
		wg.Wait()
	}()
}

// Stop hangs.
func (s *server) Stop() {
	s.cancel()
	<-s.done
}

// sends tells its end by a send.
func sends(ctx context.Context, work func()) {
	done := make(chan struct{})
	go func() {
		wait.UntilWithContext(context.Background(), func(context.Context) { work() }, time.Second) // want `stuck: sends \(line 58\) waits forever: wait\.UntilWithContext goes on when ctx has ended, since it is given context\.Background\(\); pass ctx`
		done <- struct{}{}
	}()
	<-ctx.Done()
	<-done
}

// synced is over once the caches are filled.
func synced(stopCh <-chan struct{}, informer cache.SharedInformer) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		cache.WaitForCacheSync(wait.NeverStop, informer.HasSynced) // want `hygiene: cache\.WaitForCacheSync goes on forever when stopCh has ended`
	}()
	<-stopCh
	<-done
}

// impatient waits no longer than a minute.
func impatient(ctx context.Context, work func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait.Until(work, time.Second, wait.NeverStop) // want `hygiene: wait\.Until goes on forever when ctx has ended`
	}()
	<-ctx.Done()
	select {
	case <-done:
	case <-time.After(time.Minute):
	}
}

// heeded ends with its context.
func heeded(ctx context.Context, work func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait.Until(work, time.Second, ctx.Done())
	}()
	<-ctx.Done()
	<-done
}

var _, _, _, _ = sends, synced, impatient, heeded

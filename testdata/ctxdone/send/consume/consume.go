// Package consume receives from channels that others make.
package consume

import (
	"sync"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Until receives until it is told to stop.
func Until(stop <-chan struct{}, updates chan *v1.Backup, each func(*v1.Backup)) {
	for {
		select {
		case b := <-updates:
			each(b)
		case <-stop:
			return
		}
	}
}

// All receives until the channel is closed.
func All(updates <-chan *v1.Backup, each func(*v1.Backup)) {
	for b := range updates {
		each(b)
	}
}

// CloseAfter says that all have ended.
func CloseAfter(wg *sync.WaitGroup, done chan struct{}) {
	go func() {
		wg.Wait()
		close(done)
	}()
}

// SendAll sends one after the other.
func SendAll(names []string, progress chan string) {
	for _, name := range names {
		progress <- name
	}
}

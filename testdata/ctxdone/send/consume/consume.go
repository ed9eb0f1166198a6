// Package consume receives from channels that others make.
package consume

import (
	"sync"
	"time"

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

// Timed runs what it is handed, once, and says how long that took.
func Timed(report func(time.Duration), run func()) {
	begin := time.Now()
	defer func() { report(time.Since(begin)) }()
	run()
}

// Twice runs what it is handed again if that panics.
func Twice(run func()) {
	for range 2 {
		run()
	}
}

// Package notify imports nothing of Kubernetes.
package notify

import (
	"sync"
	"time"
)

// Later sends a message when it gets round to it.
func Later(name string) {
	go send(name)
}

// Now sends the messages at the same time, and waits.
func Now(names ...string) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			send(name)
		}()
	}
	wg.Wait()
}

func send(name string) {
	time.Sleep(time.Second)
	println(name)
}

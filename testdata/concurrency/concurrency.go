// Package concurrency has functions that leave goroutines behind, and some
// that do not.
package concurrency

import (
	"context"
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

func slow(name string) {
	if resp, err := http.Get("http://example.com/" + name); err == nil {
		resp.Body.Close()
	}
}

// Leave is the plain case.
func Leave(name types.NamespacedName) { go slow(name.Name) } // want Leave:`leaves\(concurrency/concurrency.go:\d+\)`

// Through leaves what it calls leaves.
func Through(name types.NamespacedName) { Leave(name) } // want Through:`leaves\(concurrency/concurrency.go:\d+\)`

// Server has an interface of its own.
type Server struct{ once sync.Once }

// Remover is implemented by Server only.
type Remover interface {
	Remove(name string) // want Remove:`leaves\(concurrency/concurrency.go:\d+\)`
}

// Remove leaves one behind.
func (s *Server) Remove(name string) { go slow(name) } // want Remove:`leaves\(concurrency/concurrency.go:\d+\)`

// Start is bounded by its context, which the caller may cancel.
func Start(ctx context.Context) { // want Start:`leaves\(concurrency/concurrency.go:\d+\)`
	go func() {
		<-ctx.Done()
		slow("stopped")
	}()
}

// Wait waits.
func Wait(names []string) {
	var group sync.WaitGroup
	for _, name := range names {
		group.Go(func() { slow(name) })
	}
	group.Wait()
}

// In leaves the waiting to its caller: nothing is said, for it could not be
// told whether the caller does.
func In(group *sync.WaitGroup, name string) { group.Go(func() { slow(name) }) }

// Once starts one.
func (s *Server) Once() { s.once.Do(func() { go slow("once") }) }

// Log returns at once.
func Log(name string) { go klog.Info(name) }

// Stoppable hands out what ends it.
func Stoppable() func() {
	ctx, cancel := context.WithCancel(context.Background())
	Start(ctx)
	return cancel
}

// Recursive functions come to an end.
func Recursive(n int) { // want Recursive:`leaves\(concurrency/concurrency.go:\d+\)`
	if n > 0 {
		Other(n - 1)
	}
	go slow("recursive")
}

// Other is exported, since facts are told of what others can call.
func Other(n int) { Recursive(n) } // want Other:`leaves\(concurrency/concurrency.go:\d+\)`

// Package background runs work in goroutines. Nothing is reported here: nothing here is an
// entry point.
package background

import (
	"context"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ForEach calls visit for each item, in goroutines that it does not wait for.
func ForEach[T any](items []T, visit func(T) error) {
	for _, item := range items {
		go func() {
			defer utilruntime.HandleCrash()
			if err := visit(item); err != nil {
				utilruntime.HandleError(err)
			}
		}()
	}
}

// Run runs work in a goroutine.
func Run(work func()) { go work() }

// Stubborn calls work until it has no error.
func Stubborn(work func() error) {
	go func() {
		for work() != nil {
			time.Sleep(time.Second)
		}
	}()
}

// OrElse tells whoever wants to know.
func OrElse(work func() error, failed func(error)) {
	go func() {
		if err := work(); err != nil {
			klog.ErrorS(err, "failed")
			failed(err)
		}
	}()
}

// Store has the objects of the controller.
type Store struct{ Client client.Client }

// Keep writes an object and waits until it can be read again.
func (s *Store) Keep(ctx context.Context, object client.Object) error {
	if err := s.Client.Update(ctx, object); err != nil {
		return err
	}
	return s.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
}

// Load reads an object.
func (s *Store) Load(ctx context.Context, object client.Object) error {
	return s.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
}

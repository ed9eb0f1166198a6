// Package store hands out what its informers have.
package store

import "k8s.io/client-go/tools/cache"

// Watcher is for objects of any kind.
type Watcher[T any] struct{ Informer cache.SharedIndexInformer }

// List hands out the cache's own objects.
func (w *Watcher[T]) List() []T {
	var all []T
	for _, obj := range w.Informer.GetStore().List() {
		all = append(all, obj.(T))
	}
	return all
}

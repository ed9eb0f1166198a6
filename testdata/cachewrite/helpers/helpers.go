// Package helpers writes to stores by way of other functions and packages.
package helpers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/opvet/opvet/testdata/cachewrite/helpers/lib"
)

type controller struct {
	informer cache.SharedIndexInformer
	seen     cache.Store
}

// Mistakes.

func (c *controller) remember(pod *corev1.Pod) error {
	return lib.Remember(c.informer.GetStore(), pod) // want `^loss: a newer version from the watch may be lost: Remember, by store\.Update \(lib\.go:\d+\), puts objects into the informer's store.*cachewrite/put`
}

func (c *controller) wrapped(i *lib.Informers, pod *corev1.Pod) error {
	return i.Store().Add(pod) // want `^loss: a newer version from the watch may be lost: i\.Store\(\)\.Add puts pod into the informer's store.*cachewrite/put`
}

func (c *controller) field(i *lib.Informers, pod *corev1.Pod) error {
	return i.Pods.Update(pod) // want `^loss: a newer version from the watch may be lost: i\.Pods\.Update puts pod into the informer's store.*cachewrite/put`
}

func (c *controller) tracker() *lib.Tracker {
	return lib.NewTracker(c.informer.GetStore()) // want `^loss: a newer version from the watch may be lost: NewTracker, by t\.store\.Add \(lib\.go:\d+\), puts objects into the informer's store.*cachewrite/put`
}

func (c *controller) options() *lib.Options {
	return &lib.Options{
		Known: c.informer.GetIndexer(), // want `^loss: a newer version from the watch may be lost: the field Known, by o\.Known\.Add \(lib\.go:\d+\), puts objects into the informer's store.*cachewrite/put`
	}
}

func (c *controller) getter() cache.Indexer { return c.informer.GetIndexer() }

func (c *controller) throughGetter(pod *corev1.Pod) error {
	return c.getter().Delete(pod) // want `^loss: delete handlers may never run: c\.getter\(\)\.Delete takes pod out of the informer's store.*cachewrite/delete`
}

// All callers hand over an informer's store: the write is the place to edit.
func save(indexer cache.Indexer, pod *corev1.Pod) {
	_ = indexer.Update(pod) // want `^loss: a newer version from the watch may be lost: indexer\.Update puts pod into the informer's store.*cachewrite/put`
}

func (c *controller) first(pod *corev1.Pod)  { save(c.informer.GetIndexer(), pod) }
func (c *controller) second(pod *corev1.Pod) { save(c.getter(), pod) }

// Some callers have a store of their own: the others are told.
func mixed(store cache.Store, pod *corev1.Pod) { _ = store.Add(pod) }

func (c *controller) one(pod *corev1.Pod) { mixed(c.seen, pod) }
func (c *controller) two(pod *corev1.Pod) {
	mixed(c.informer.GetStore(), pod) // want `^loss: a newer version from the watch may be lost: mixed, by store\.Add \(helpers\.go:\d+\), puts objects into the informer's store.*cachewrite/put`
}

// Right.

func newController(informer cache.SharedIndexInformer) *controller {
	return &controller{informer: informer, seen: cache.NewStore(cache.MetaNamespaceKeyFunc)}
}

func (c *controller) ownStore(pod *corev1.Pod) error { return lib.Remember(c.seen, pod) }

func (c *controller) reads(key string) bool { return lib.Read(c.informer.GetStore(), key) }

func (c *controller) ownTracker() *lib.Tracker { return lib.NewTracker(c.seen) }

func ownOptions() *lib.Options {
	return &lib.Options{Known: cache.NewStore(cache.MetaNamespaceKeyFunc)}
}

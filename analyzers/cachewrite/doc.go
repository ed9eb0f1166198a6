// Package cachewrite finds writes to the store of a running informer.
//
// The store of an informer belongs to its reflector: the watch fills it, and
// handlers are called for the difference between what comes and what is there.
// Controllers write to it themselves in order to read their own writes, or to
// hurry a deletion along. It works in tests. In production
//
//   - the cache moves backwards: the watch has brought a newer version between
//     the response of the API server and the write, and the older one replaces it
//     until the next event, which may be hours away;
//   - handlers do not hear: an object that was added by hand has its first event
//     delivered as an update, so that no AddFunc runs; one that was deleted by
//     hand is not missed after a broken watch, so that no DeleteFunc runs;
//   - the cache says what is not so: if the object was changed in memory only, or is
//     the one from before a patch, nothing ever corrects it while the object stays
//     as it is;
//   - the object is shared from now on: whoever goes on to change it races with all
//     readers of the cache.
//
// In all cases the reconciler decides on what the API server never said.
//
// Bad:
//
//	updated, err := client.ReplicaSets(ns).Update(ctx, rs, metav1.UpdateOptions{})
//	if err == nil {
//		err = c.rsInformer.GetIndexer().Update(updated)
//	}
//
// Good: go on with what the API server has returned, and wait for the event
// otherwise. Optimistic locking rejects what is done on the ground of an old
// version. Where a controller must read its own writes, it reads through a
// MutationCache, which client-go has for that: it asks the informer's store and keeps
// what is newer apart (cache.NewIntegerResourceVersionMutationCache). What was
// created is best remembered as the controllers of Kubernetes do, in expectations.
//
// What counts as the store of a running informer is what GetStore and
// GetIndexer return and what cache.NewInformer and its like do, through
// variables, fields, parameters, results and helpers in any package of the
// module. These are right, and not reported: stores that the program makes for
// itself (cache.NewStore, NewIndexer, NewTTLStore and the queues), also those that
// it hands to a reflector, since who builds an informer fills its store; types
// that are stores and pass calls on to another one; informers that are made in
// the same function and not started, or are fed by a fake clientset; test
// helpers. A store that may be the program's own is not reported.
//
// # put
//
// An object is put into the store, by Add or Update. If a function does it that is
// handed the store, the finding is where it is handed over.
//
// # delete
//
// An object is taken out of the store, mostly one whose deletion has just been
// asked for. It may have finalizers and live on for long; and if the watch breaks
// before the event comes, the informer does not notice that the object has gone,
// and calls no delete handler for it.
//
//	if err := client.Delete(ctx, pod); err == nil {
//		_ = c.podInformer.GetStore().Delete(pod) // bad
//	}
//
// Where an object of the project's own kinds is taken out by a function that calls
// no client of the API server, that is reported with the strict flag only: the
// informer may be fed by something else, of which no events of deletions come.
//
// # replace
//
// All objects of the store are replaced by others, such as a list that was just
// read from the API server: what the watch has brought after the list is lost.
package cachewrite

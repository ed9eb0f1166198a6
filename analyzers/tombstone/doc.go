// Package tombstone finds delete handlers that cannot take a tombstone.
//
// If an informer loses its watch, and an object is deleted before it is back,
// the informer sees that only when it lists again: the object is no longer
// there. It then calls OnDelete with a cache.DeletedFinalStateUnknown, which
// has the object's key and the last state that the cache knew. It is a struct,
// delivered by value, instead of the object.
//
// A handler that does not know of it panics, and the operator restarts, or it
// drops the deletion, and what was to be cleaned up stays forever. Both
// happen where no test gets: after a network failure or while the API server
// restarts, under load.
//
//	func (c *Controller) onDelete(obj any) {
//		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
//			obj = tombstone.Obj
//		}
//		pod, ok := obj.(*corev1.Pod)
//		if !ok {
//			return
//		}
//		c.forget(pod)
//	}
//
// Only informers of client-go deliver tombstones. controller-runtime unwraps
// them before its predicates, event handlers and map functions are called, and
// they are not looked at.
//
// The handler is followed through helpers, in other packages too, and to the
// workers on the other side of a queue or channel of the package. A handler
// that ignores its argument, or does nothing with it but log and count, is right.
// A handler that panics is a crash, all else a loss, and hygiene in a package of
// commands, where a user sits before the program. So it is where nothing is lost but a
// key for which the workers do nothing since they find no such object, or that goes to workers of another package, where all that is done is done for the
// object of one name, such as a configured Secret (of 3 judged, none was wanted), and where the same function is called for
// updates and works only if the object says something certain: then it has done so when
// that was last updated. And so it is where the handler is not seen to take anything away, to
// clear it, to queue a key or to hand on what the event is about: one that wakes a loop,
// compares what it has seen or calls back without an object loses nothing that the next
// event does not bring. Nor is much lost where the handler does nothing but queue the keys of other objects, of an owner or of
// all that refer to the deleted one: they are reconciled by their own events and resyncs (of 9 such
// findings that were judged, maintainers wanted 3); nor where it queues any on a controller of knative's, whose reconcilers do
// nothing for an object that is gone. What is printed by default takes something away, stops it or
// queues the object's own key for workers that clean up: of those judged in operators about three quarters were
// wanted, and all crashes but one.
//
// # panic
//
// The object is asserted without a check, or the result of the check is thrown
// away and nil is used:
//
//	DeleteFunc: func(obj any) { c.forget(obj.(*corev1.Pod)) }
//
//	pod, _ := obj.(*corev1.Pod)
//	c.forget(pod.Name)
//
// # dropped
//
// What is no object of the expected type is logged, and that was all:
//
//	pod, ok := obj.(*corev1.Pod)
//	if !ok {
//		klog.Errorf("unexpected object %T", obj)
//		return
//	}
//
// Or the FilterFunc in front of a DeleteFunc accepts nothing but objects, so
// that the DeleteFunc is never called. Filters without a DeleteFunc behind
// them are left alone. With the strict flag, handlers that drop tombstones
// knowingly are reported, too, and those that have done something before.
//
// # raw-key
//
// cache.MetaNamespaceKeyFunc and meta.Accessor return an error for a
// tombstone:
//
//	key, err := cache.MetaNamespaceKeyFunc(obj)
//
// cache.DeletionHandlingMetaNamespaceKeyFunc takes both; the fix uses it.
//
// Where the handler does nothing but put the object's own key on a queue, itself or by
// another package's function, and the workers read the object first and do nothing if it is
// gone, nothing is lost: that is hygiene, here and for what is dropped. The workers are the
// package's own, those of the queue's controller where there are several, what they call in other
// packages, or what the package hands to a controller of another one that calls it by an interface. The key may be a text or a NamespacedName that is put together of the object's name and namespace.
//
// # unwrapped-unused
//
// The tombstone is recognised, but the code goes on with the original:
//
//	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
//		obj = tombstone // instead of tombstone.Obj
//	}
//
// Often it is unwrapped for a log or a check, and the wrapped one is enqueued. The worker
// does not know it, drops it, or tries it again and again:
//
//	if pod := podOf(obj); pod != nil { // unwraps it
//		klog.Infof("pod %s is gone", pod.Name)
//	}
//	c.queue.Add(obj) // bad: the worker's type switch knows Pods only
//
// The finding is where the tombstone is put on the queue or channel, if the code has
// recognised it by then, and at the assertion of the worker otherwise.
//
// # pointer
//
// The code asks for a pointer to a tombstone, which never comes:
//
//	if tombstone, ok := obj.(*cache.DeletedFinalStateUnknown); ok {
//
// # Limits
//
// What is handed to functions outside the module, or kept in slices and maps,
// is not followed. Handlers on other types than client-go's structs and
// ResourceEventHandler are not known.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:tombstone // reason. Please report it,
// too.
package tombstone

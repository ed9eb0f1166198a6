// Package cacheretention finds objects of an informer's cache that are kept
// forever.
//
// An informer drops an object when it is deleted. Memory is given back only if
// nobody else holds on to it: an object in a map, with all its managed fields,
// annotations and status, is a few kilobytes that stay for as long as the process
// lives. With a thousand pods a day, of which each leaves one behind, the operator
// runs out of memory after some weeks, and whoever looks at the cache's metrics
// finds nothing. And what is read from there later is not the object as it is.
//
// Bad: nothing ever takes a pod out.
//
//	func (c *Controller) onAdd(obj any) {
//		pod := obj.(*corev1.Pod)
//		c.seen[pod.Namespace+"/"+pod.Name] = pod
//	}
//
// Good: the delete handler takes it out (and takes tombstones into account), or
// what is kept is no more than what is needed: the key, the resource version.
//
//	func (c *Controller) onDelete(obj any) {
//		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
//			delete(c.seen, key)
//		}
//	}
//
// Mostly the map is not needed at all, since the informer's store has an index
// by whatever is asked for.
//
// What counts is an object that a lister, the store of an informer or an event
// handler has handed out, or a pointer into it, also inside of a struct that is kept,
// put into a field, a package-level variable or a variable that a handler has
// captured, itself or through helpers in any package of the module. The owner must
// live as long as the process: a handler's or reconciler's receiver, or what that
// holds. The whole package is searched for what takes objects out again: delete,
// clear, the methods of sync.Map, an assignment of the whole. A container that
// other packages can reach, that is handed to functions which cannot be looked
// into, or that is a ring, a queue or a channel is left alone, and so are keys, strings
// and copies, which are the author's choice.
//
// With the strict flag, all that is kept is reported: where something is taken
// out somewhere, single variables, and copies.
//
// # never-deleted
//
// A map, or a sync.Map, into which objects are put, and from which nothing is
// taken.
//
// # growing-slice
//
// A slice to which objects are appended, and which is never cut or set anew.
//
// # torn-read
//
// A handler keeps an object in a field, and sets it to nil when the object is
// deleted. An exported method, which runs on another goroutine, tests the field
// and reads it again, without a lock: a deletion in between is a nil dereference,
// and the race detector finds the rest. Read the field once, under a lock or from
// an atomic.Pointer.
//
//	func (m *manager) Token() string {
//		if m.secret == nil {
//			return ""
//		}
//		return string(m.secret.Data["token"]) // bad: nil by now
//	}
//
// # kept
//
// An object that is kept in any other way; strict only.
package cacheretention

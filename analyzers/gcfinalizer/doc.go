// Package gcfinalizer finds clean-up that is left to Go's garbage collector.
//
// The functions that runtime.SetFinalizer and runtime.AddCleanup register have
// nothing to do with the finalizers of API objects. They run some time after
// the last reference to a value is gone, or never: not at shutdown, not while
// anything, such as an informer's cache, a workqueue or a log line, still
// refers to it, and not for values in a cycle. What they were to release in
// the cluster stays there.
//
// # cluster-resource
//
// A function that the garbage collector runs writes to or deletes from the
// API server:
//
//	runtime.AddCleanup(session, func(key client.ObjectKey) {
//		_ = c.Delete(context.Background(), leaseOf(key)) // on some day, or never
//	}, key)
//
// Release it where its use ends: a finalizer on the owning object that the
// reconciler removes, an owner reference, a defer, or the end of a Runnable.
//
// # api-object
//
// A function is registered for an API object in memory. An operator has many
// copies of each object: that one is collected says nothing about the
// object in the cluster, which is neither deleted nor even changed.
//
//	runtime.SetFinalizer(backup, func(b *v1.Backup) { buckets.Remove(b.Name) })
//
// Put a finalizer on the object itself (controllerutil.AddFinalizer) and clean
// up when its DeletionTimestamp is set.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:gcfinalizer // reason. Please report
// it, too.
package gcfinalizer

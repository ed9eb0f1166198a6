// Package finalizerpatch finds merge patches that drop the finalizers which
// other controllers have added.
//
// A JSON merge patch has no way to say "add this element": a list in it
// replaces the stored one. client.MergeFrom compares the object as it was read
// (from a cache, so perhaps some time ago) with what it is now, and if the
// finalizers differ, the patch holds the whole list. If another controller has
// put its finalizer on the object meanwhile, the patch takes it off again, and
// no one gets an error. That controller believes that it will be asked before
// the object goes; it is not, and what its finalizer was to clean up is left
// behind.
//
// Only additions, and removals from an object that is known not to be deleted,
// are reported. Once an object is being deleted, the API server lets nobody
// add finalizers, so the usual removal at the end of a clean-up has nothing to
// race with. Strategic merge patches (client.StrategicMergeFrom on built-in
// kinds) merge the list, and JSON patches address one element; they are left
// alone, and so are patches that carry the resourceVersion.
//
// # unlocked
//
// The finalizers are changed, and the difference is sent without a lock:
//
//	before := backup.DeepCopy()
//	controllerutil.AddFinalizer(backup, finalizer)
//	return r.Patch(ctx, backup, client.MergeFrom(before))
//
// With the optimistic lock the patch carries the resourceVersion that it was
// computed from, and is answered with 409 Conflict if the object has changed;
// the reconcile is tried again with the new list:
//
//	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
//	return r.Patch(ctx, backup, patch)
//
// A helper that sends the patch, in this or another package of the module, is
// seen through, and the finding stands where it is called; so are patches
// computed with jsonpatch.CreateMergePatch and sent with a typed client.
//
// # raw-list
//
// A patch that is written by hand sets the list:
//
//	data := []byte(`{"metadata":{"finalizers":["example.com/cleanup"]}}`)
//	return r.Patch(ctx, backup, client.RawPatch(types.MergePatchType, data))
//
// Whatever is on the list is gone. Code that does so only if the list is empty
// still races with others, and never gets its own finalizer onto an object
// that has another one. A list that is emptied is finalizerremoval's business.
//
// # Limits
//
// Patches whose states or bytes come from somewhere that cannot be followed,
// and Server-Side Apply, are not looked at.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:finalizerpatch // reason. Please report
// it, too.
package finalizerpatch

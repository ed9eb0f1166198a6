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
// A removal without a lock does harm as well. While an object is being deleted,
// the API server lets nobody add finalizers, but others take theirs off: the
// garbage collector its foregroundDeletion, other operators their own. A cache
// that has not heard of that yet makes the patch bring the name back, the API
// server rejects it ("no new finalizers can be added if the object is being
// deleted"), and the object stays Terminating until a retry sees a fresh list; if
// the error is only logged, forever. Once the list in the patch is shorter than the
// stored one, because somebody has added a finalizer to a live object, that
// finalizer is lost.
//
// So additions to Kubernetes' own kinds, and removals from such an object that is known
// not to be deleted, are loss: on the kinds of the module, and on those of another project,
// hardly anybody else puts finalizers, and that is hygiene. Another removal is stuck where
// the function may return as if nothing had happened although the patch was rejected, and
// hygiene where its error is returned or handed on, since the next try has the fresh list. Strategic merge
// patches (client.StrategicMergeFrom on built-in kinds) merge the list, and JSON
// patches address one element; they are left alone, and so are Update and patches
// that carry the resourceVersion.
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
// computed from, and fails with 409 Conflict if the object has changed; the
// reconcile is tried again with the new list:
//
//	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
//	return r.Patch(ctx, backup, patch)
//
// Change, base and patch may be in different functions: a helper in this or
// another package of the module may send the patch, get the object together with
// the state that it was read in, be handed the patch, or run a function that it is
// given between the copy and the patch. So may patches that are computed with
// jsonpatch.CreateMergePatch and sent with a typed client. Where several places
// change finalizers and send them by one helper or with one patch, that is one
// finding, at the helper if it is in the same package.
//
// The fix adds the lock. There is none where the object is written before with
// another request: the version of the base is an old one then, and a lock would
// fail each time. Make the patch after that write.
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

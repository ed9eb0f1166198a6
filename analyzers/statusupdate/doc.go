// Package statusupdate finds status that never arrives.
//
// The status of most kinds is a subresource: the API server keeps it behind an
// endpoint of its own. A write through the main endpoint (Update, Patch,
// Create, Apply) silently drops the status of what it is given, and a write
// through the status endpoint (Status().Update, UpdateStatus) silently drops
// everything else. Nothing fails: no error is returned and nothing is logged.
// The object just never becomes Ready, its finalizer never appears, or the
// controller computes the same status over and over in a hot loop.
// See https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#spec-and-status.
//
// The analyzer follows the object: through helpers in this and other packages
// of the module, deep copies, closures, wrappers around the client, typed and
// dynamic clients. It is silent for kinds whose status is no subresource (no
// +kubebuilder:subresource:status marker), and where it cannot tell it asks
// for evidence: a status write of the same kind somewhere in the packages that
// it can see, unless a CRD in the project's YAML files has none. If the CRD manifests differ from the markers, name their folder
// with the crds flag; they overrule the markers.
//
// # dropped-by-update
//
// Status set in memory, then written through the main endpoint:
//
//	backup.Status.Phase = v1.PhaseDone
//	return r.Update(ctx, backup) // stores spec and metadata only
//
// Write the status where it is stored:
//
//	backup.Status.Phase = v1.PhaseDone
//	return r.Status().Update(ctx, backup)
//
// The same goes for Create, whose object has no status until the first status
// write, and for merge patches, also of a map that has nothing but the status. The fix is offered where the
// status is all that has changed.
//
// A full Update that takes the place of a status write that failed, whatever the error was, is hygiene: a conflict fails
// both, so that it takes another error, which hits the one and not the other. Where the object is read again in between, a conflict is
// enough.
//
// What Create drops is hygiene: the first Reconcile of the new object sets it, as a rule. So
// is a time where nothing else of the status is set and nothing in the package goes by it, and what may be stored after all: the whole status of a kind of another module, one that the function stores on another way, or returns, and one that a helper
// sets which the package calls before a write of the status as well, where the write stores something else, or which sets what another helper has
// set, and the function has stored, before, or which sets the spec, too: it takes all over from elsewhere, and does so again. A write that is only made
// where a finalizer was found to be missing happens once for each object, and where the function, or one that calls it, otherwise stores the
// status, the Reconcile that the update triggers does so (of 11 judged, maintainers wanted 1). Where a CRD in the
// project's YAML files has no such subresource, the status is stored, and nothing is said.
//
// Not reported is the last write of an object, which takes its finalizer off, nor
// what a comparison with the stored object keeps from being written. Where a helper
// makes the main write, and callers write the status afterwards, that is reported with
// the strict flag only: whether the helper comes to write is up to what they know. So is a
// write by a helper that has success without it, too, unless it puts a finalizer on, and a
// status that is taken over as a whole from the stored object, so that the update leaves it alone.
//
// # lost-on-update
//
// Update overwrites the object in memory with the server's response, and with it
// the status that was set before:
//
//	backup.Status.Phase = v1.PhaseDone
//	backup.Labels["phase"] = "done"
//	if err := r.Update(ctx, backup); err != nil { // Phase is the old one again
//		return err
//	}
//	return r.Status().Update(ctx, backup) // writes the old one back
//
// Set the status after the Update, or keep it in a variable meanwhile. Where the Update comes each time before the status
// is written, the status is never stored. Where it comes now and then, or a helper makes it, it is hygiene: its event
// starts another round, which stores the status. A Get that reads the object again before its status is written, often in a deferred
// function, does the same; one in RetryOnConflict is conflictretry's business.
//
// # metadata-dropped
//
// Finalizers, labels, annotations or owner references are changed, and only
// the status endpoint is written:
//
//	controllerutil.AddFinalizer(backup, finalizer)
//	return r.Status().Update(ctx, backup) // the finalizer is not stored
//
// So it is with custom resources. The status endpoints of Kubernetes' own kinds,
// such as Node and Deployment, store metadata as well, and nothing is said of these, nor, without the strict flag, of the
// labels and annotations of objects whose kind is not known, as of unstructured ones. Nor is anything of a status that tells that
// something has failed: the next attempt changes the metadata again. Where the function
// also updates such an object as a whole, on another way, it is hygiene: the status write
// brings an event, and that leads there. Finalizers that are taken off keep the object Terminating, also there if the
// status is not changed before: the next event leads to the same way.
//
// With the strict flag, changes of the spec count, too. They do not by
// default, since operators fill in defaults in memory and do not mean to store
// them.
//
// # no-subresource
//
// A status write of a kind that has no status subresource, such as ConfigMap,
// always fails with 404 NotFound. Use the main endpoint. So does one of a kind without markers whose CRD in the project's
// YAML files has none.
//
// # subresource-marker
//
// A kind of this module has kubebuilder markers but no
// +kubebuilder:subresource:status, and its status is written through the
// status endpoint: the CRD that controller-gen makes has no such endpoint, and
// the write fails with 404 NotFound. The finding is at the type if that is
// in the package of the write, else at the write. Where the whole module is seen, it is hygiene if
// nothing in it sets or reads the status of the kind: a branch for objects that nobody hands over. A package whose types have
// markers for the schema only (no resource, printcolumn or subresource marker
// anywhere) is taken to keep its manifests by hand, and is left alone; so are claims and composite
// resources of Crossplane, and kinds without a CRD in a project that has those of their neighbours.
//
// # copy-not-written
//
// Conditions or fields are set on a copy of the status, or of the object, and
// the original is written:
//
//	status := backup.Status.DeepCopy()
//	status.Phase = v1.PhaseDone
//	return r.Status().Update(ctx, backup) // backup.Status is as it was
//
// Assign the copy back (backup.Status = *status) before the write.
//
// # never-persisted
//
// An object is read, its status is set, and the function ends: the object is
// neither written nor returned nor handed to anything that could write it. Of a kind of another
// module it is hygiene: its controller sets the status that counts.
//
// # not-in-patch
//
// A merge patch sends the difference between the object and a copy of what it was
// before. If the copy is made after the status has been set, there is none:
//
//	backup.Status.Phase = v1.PhaseDone
//	base := backup.DeepCopy()
//	return r.Status().Patch(ctx, backup, client.MergeFrom(base)) // sends {}
//
// Copy first:
//
//	base := backup.DeepCopy()
//	backup.Status.Phase = v1.PhaseDone
//	return r.Status().Patch(ctx, backup, client.MergeFrom(base))
//
// The copy is often in a helper that stores a condition: what its callers have set
// before is not in its patch. Such a call is reported where nothing writes the
// status afterwards, and a helper whose patch is empty whatever its callers do is
// reported itself, as hygiene: what changes the object out of sight is not seen. Have
// callers hand over the base, or set the status in the helper.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:statusupdate // reason. Please report
// it, too.
package statusupdate

// Package finalizerremoval finds finalizers that never come off, come off too early, or take others' with them.
//
// A finalizer is a promise: the object stays until its controller has cleaned up what belongs to it and has taken the
// name off the list. If the name never comes off, kubectl delete hangs, the object and its namespace stay Terminating,
// and the cache keeps the object forever. If it comes off although the clean-up has not succeeded, the object is gone,
// nobody tries again, and the cloud volume, the DNS record or the user in the database stays. And if a controller takes
// the names of others off, their clean-up never runs.
//
// The shape that does all of it right:
//
//	if !backup.DeletionTimestamp.IsZero() {
//		if !controllerutil.ContainsFinalizer(backup, finalizer) {
//			return ctrl.Result{}, nil
//		}
//		if err := r.deleteBucket(ctx, backup); err != nil { // NotFound is no error for it
//			return ctrl.Result{}, err
//		}
//		controllerutil.RemoveFinalizer(backup, finalizer)
//		return ctrl.Result{}, r.Update(ctx, backup)
//	}
//
// Finalizers may be changed by controllerutil, by hand (lists that are appended to, filtered, cut, made of sets), by
// patches that are written down, or by helpers in any package of the module that do one of these to a parameter.
// Storing the object counts wherever it happens: by the caller, after a flag that is returned, in a deferred patch
// helper, by CreateOrUpdate.
//
// # never-removed
//
// The module adds a finalizer and removes it nowhere. If no other package can know the name (an unexported constant or
// a literal) the finding is where it is added, otherwise where the program's manager is made. It is silent if
// anything removes finalizers whose names cannot be told.
//
// # not-persisted
//
// The finalizer is removed in memory, and on some path to a successful return the object is not written, or only its
// status is:
//
//	controllerutil.RemoveFinalizer(backup, finalizer)
//	return ctrl.Result{}, r.Status().Update(ctx, backup) // bad: stores the status only
//
// The fix writes the object instead, where the status has not been changed. Printed by default is what surely is lost: no
// way leads from the removal to anything that could store the object, in the function or in those that hand it in, or
// to where it gets out of sight; the object is read again before the write; it is taken off a copy and the original is
// written; the patch starts from a copy that has the removal already. That only some path does not store it is reported
// with the strict flag: in operators that nobody had tuned for, it was stored each time, out of sight. What only a
// status write follows is reported by statusupdate/metadata-dropped, too.
//
// # cleanup-ignored
//
// The clean-up's error is logged or dropped, and the finalizer is removed all the same:
//
//	if err := r.deleteBucket(ctx, backup); err != nil {
//		log.Error(err, "cannot delete the bucket") // bad: nobody will try again
//	}
//	controllerutil.RemoveFinalizer(backup, finalizer)
//
// A clean-up is a deletion through a client, or a function that can fail and whose name begins with a verb such as
// delete, remove, clean, finalize, destroy or revoke, unless it only concerns this machine. It may be in the function
// that removes the finalizer, or in functions of the package that are called before the removal and return success. So
// may a look-up that skips the clean-up of what it should have found, which is hygiene.
//
// It is right, and not reported, to log the error and keep the finalizer: by a flag, a list of errors, or a list of the
// finalizers to keep. Nor is giving up reported that depends on something else than the error, such as an annotation or
// a deadline. The message names what leaks by the kind that is deleted, or else by the name of the function. A clean-up
// that fails in one round of a loop says nothing about the object of the next one.
//
// It is hygiene where what is cleaned up is outside of the cluster and the failure is logged: the other side may be gone
// for good, and to return the error would keep the object Terminating as long; and where nothing shows that the
// clean-up talks to anybody, by a context, a client or a request. Objects of the API server are hygiene if the package
// puts owner references on objects of their kind, which the garbage collector takes with the owner; those without a
// namespace, and persistent volume claims, it leaves.
//
// Whether the finalizer guards what is cleaned up, and whether to go on was meant, is seldom told by the code. So printed
// by default is only what surely stays: claims and objects without a namespace to which the package gives no owner,
// other objects that it creates without one, and what is outside of the cluster where the function returns the error of
// another call of the same client before, so that a side which is gone keeps the object anyway. The object must be known to be
// deleted, and no comment say why to go on. The rest is reported with the strict flag.
//
// # skipped-path
//
// A dependency is not found, and Reconcile returns success without asking to come back, also while the object is being
// deleted:
//
//	if err := r.Get(ctx, key, cluster); err != nil {
//		if apierrors.IsNotFound(err) {
//			return ctrl.Result{}, nil // bad: the finalizer stays on forever
//		}
//		return ctrl.Result{}, err
//	}
//	if !backup.DeletionTimestamp.IsZero() {
//		return r.reconcileDelete(ctx, backup, cluster)
//	}
//
// Look at the deletion timestamp first, or take the missing dependency for cleaned up. Where the object is known to be deleted
// before the look-up, what it waits for is meant to hold it as a rule, which is reported with the strict flag. Code that goes
// on with an empty object, and asks it a question, is left alone.
//
// # wrong-branch
//
// The finalizer is removed because a look-up failed, for whatever reason: a timeout is enough, and the clean-up is
// skipped for good. Remove it only if the error says that there is nothing to clean up, as NotFound does:
//
//	cluster, err := r.lookupCluster(ctx, user)
//	if err != nil && deleting {
//		return ctrl.Result{}, r.removeFinalizer(ctx, user) // bad: check apierrors.IsNotFound(err)
//	}
//
// A read of controller-runtime's client, which a cache serves, fails by hardly anything else, and what is computed from
// that by no timeout: that is hygiene. Several in one function are one finding.
//
// # before-cleanup
//
// The removal is stored, and then the clean-up is tried. If it fails the object is gone already, and with it the only
// reason to try again. What is cleaned up must belong to the object: it is told by something that is computed from
// the object, or from the key by which that was read. A Reconcile that cleans up where the object is found to be gone
// tries again, and is left alone. So is the deletion of objects that the package gives owners: the garbage
// collector takes them.
//
// # gated
//
// The finalizer is removed only if an optional part of the spec is there or a switch is on, and otherwise the object is
// left with it: an object whose spec says otherwise, or is changed before it is deleted, stays Terminating forever. Let
// the clean-up depend on the field, not the removal. Conditions on strings and numbers are left alone, and with the strict flag only
// those on lists are reported, on which others may put what they wait for, as with hooks before a deletion. The finalizer's name
// may be a parameter, if the callers that are seen know it and take no finalizer off such objects otherwise.
//
// Fields that the package itself fills in are left alone without that flag, too: it knows when its objects have a finalizer.
// So is a switch that, turned on, has Reconcile leave the object alone, be it deleted or not: it pauses. So is an object
// whose status or an event tells why it stays: a guard against deletion.
//
// # strips-foreign
//
// All finalizers are taken off (SetFinalizers(nil), an empty list in a patch), the list is replaced by one of this
// controller's, or a loop keeps only those that it knows. The promises of other controllers are broken: a load balancer
// stays, a volume is deleted while it is in use. Emptying the list of a kind that the package has no finalizers of its
// own on may be meant, to get rid of an object by force, and is reported with the strict flag only. So is a loop that keeps
// those that it knows on an object which the function itself deletes. To replace the list of a kind of the module's own is
// hygiene: others put none on it, as a rule, and none can be added once it is being deleted.
//
// The same happens if an object is put together anew, is given the stored one's resource version, and written over it
// with Update. That is reported for kinds on which Kubernetes and cloud providers put finalizers (Service, Ingress,
// PersistentVolume and its claim, Pod, Namespace), for objects of any kind, and with the strict flag for all. Printed by
// default is that of a Service in a package that makes load balancers; the rest is hygiene.
//
// # notfound-stuck
//
// The clean-up deletes an object that may be gone already, or reads it in order to delete it, and returns the NotFound
// error: it fails again and again, and the finalizer never comes off.
//
//	return r.Delete(ctx, bucketClaim) // bad: client.IgnoreNotFound(r.Delete(ctx, bucketClaim))
//
// Clean-ups are followed into functions of the same package. What was just read or listed counts as there. So is
// reading anything else that is needed for the clean-up, such as a Secret with credentials. Printed by default are deletions
// with a client of a library, where nothing on the way to them, from Reconcile on, reads objects of the kind, and neither a
// status nor an answer of the API server decides about them. The rest, and all that is read, is for the strict flag: what
// is gone may have been asked for before. The fix puts client.IgnoreNotFound around a deletion.
//
// # Limits
//
// Names that are built at run time are not compared. Errors are followed through variables and wrappers in one function;
// what a function of the module makes of an error that it is handed is not looked at, and counts as right.
//
// # Options
//
// -strict reports doubtful variants, too. -tests and -generated report findings in _test.go files and in generated
// files. To silence a finding, write //nolint:finalizerremoval or //lint:ignore finalizerremoval reason on its line or
// on the line above.
package finalizerremoval

// Package finalizeradd finds finalizers that are added too late, in vain, or
// under a bad name.
//
// A finalizer is a promise: the object stays until its controller has cleaned
// up and taken the name off the list. The promise must be made in time. The
// API server refuses new finalizers on an object that is being deleted, and one
// that is added in memory only holds nothing up.
//
// What counts as adding: controllerutil.AddFinalizer, append to Finalizers or
// through SetFinalizers, sets, and any helper that does so, in this or another
// package of the module. The finding is in the function that has the
// object: a helper that adds without a look is reported where it is called by
// somebody who has not looked either.
//
// # while-deleting
//
// The finalizer is added although the object may be being deleted:
//
//	if controllerutil.AddFinalizer(backup, finalizer) {
//		return r.Update(ctx, backup) // Forbidden: no new finalizers can be added
//	}
//	if !backup.DeletionTimestamp.IsZero() {
//		return r.cleanUp(ctx, backup)
//	}
//
// It happens as soon as somebody else's finalizer keeps the object: foreground
// deletion, a second controller, or an object that was deleted before the first
// reconcile. From then on every reconcile fails at the same line, and the
// deletion branch is not reached. As a rule nothing is lost by that: this
// controller's own finalizer is off already, or was never on, so that there is
// nothing left for it to clean up, and the API server refuses the request as a whole.
// What remains are refused requests and log lines until the other finalizer is gone
// (hygiene; projects that mended it did so for the noise). The object stays Terminating (stuck)
// where the branch that is not reached would remove another finalizer of this
// controller, such as one with an older name, or where the addition undoes a
// removal before it is stored. Look first:
//
//	if !backup.DeletionTimestamp.IsZero() {
//		return r.cleanUp(ctx, backup)
//	}
//	if controllerutil.AddFinalizer(backup, finalizer) {
//		return r.Update(ctx, backup)
//	}
//
// A clean-up that returns nil and lets the function go on to the addition is
// the same mistake. A look counts wherever it is: in a condition, in a helper
// that tells by its result, in every caller, at a copy or an earlier read of
// an object of the same kind, or in a predicate of the watch that lets no
// object pass which is being deleted. If the object is asked about in a way
// that cannot be understood, the addition is not reported. Objects that are
// made here and created are fine. So are those that the package creates with
// the finalizer and that lose it only when their owner is deleted: one that is
// being deleted has it still, and nothing is added.
//
// Where the package never looks at the deletion of the kind, and takes the
// finalizer off for other reasons, the finding is hygiene.
//
// If nothing in the package looks at the deletion of that kind, or takes a
// finalizer off it, the addition is reported with the strict flag only: who
// handles the deletion may also see to it that such objects do not come here.
// So are additions in the mutate function of CreateOrUpdate, and in functions
// that nobody in the package calls.
//
// # not-persisted
//
// The finalizer is added to an object that was read here, and a path leads to
// a successful return without a write: nothing holds a deletion up.
//
//	controllerutil.AddFinalizer(backup, finalizer)
//	if backup.Spec.Paused {
//		return ctrl.Result{}, nil // the finalizer is forgotten
//	}
//	return ctrl.Result{}, r.Update(ctx, backup)
//
// A list that another object of the kind takes along, such as one that is made
// for a server-side apply, is stored with that.
//
// If only the status is written afterwards, statusupdate's metadata-dropped
// says so. All else is reported with the strict flag only: in operators that nobody
// had tuned for, the finalizer was stored each time, out of sight.
//
// # unqualified
//
// A finalizer's name without a domain, such as "cleanup", can collide with
// that of another controller, which then takes it off before this one has
// cleaned up; the API server answers every write that adds it with a warning.
// Names that are no qualified names at all (upper case in the domain, two
// slashes, more than 63 characters after the slash) are refused, and on kinds
// of Kubernetes itself (Secret, Service, Pod) so are all names without a slash:
// each write that adds one fails, and the reconcile does not get any further
// (stuck). The rest is hygiene. The finding is at the constant if it is declared
// in this package. Put the API group in front:
//
//	const finalizer = "backup.example.com/cleanup"
//
// Objects that have the old name need it taken off as well for a while. Names
// with a domain and no path ("example.com"), about which the API server warns,
// too, are reported with the strict flag. Names that are put together at run
// time are not looked at, nor constants that are never used as a finalizer.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:finalizeradd // reason. Please report
// it, too.
package finalizeradd

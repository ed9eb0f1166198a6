// Package reconcileresult finds answers of Reconcile that do not do what they
// say.
//
// What Reconcile returns decides whether and when the object is looked at
// again. controller-runtime reads the two results in a fixed order: an error
// that is not nil comes first and is retried with exponential back-off, and the
// Result beside it is ignored; then RequeueAfter, then Requeue; and an empty
// Result with a nil error is the end until the next event. Code that assumes
// anything else still looks right, and fails slowly: objects that should be
// polled every few seconds are looked at after a quarter of an hour, keys of
// deleted objects go round forever, and writes that have failed are never
// repeated. See
// https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/reconcile#Reconciler.
//
// The analyzer looks at each Reconcile, at the functions of the same package
// whose two results it returns unchanged, and for swallowed failures at all
// functions that it leads to. It follows Results through variables and helpers,
// and knows along each path whether the error is nil.
//
// # result-with-error
//
// A Result that requeues, beside an error that is not nil:
//
//	if err := r.Update(ctx, backup); err != nil {
//		return ctrl.Result{RequeueAfter: 5 * time.Second}, err
//	}
//
// The object is not looked at after five seconds but when the rate limiter says
// so: after milliseconds at first, later after up to 17 minutes. A pause of five
// minutes after a failure that only an edit can mend becomes a burst of
// attempts, and a poll every five seconds slows down. Return one of the two:
//
//	return ctrl.Result{}, err // back-off
//	return ctrl.Result{RequeueAfter: 5 * time.Second}, nil // five seconds; log the error
//
// How much harm that does depends on what is lost. A RequeueAfter that is surely
// positive is a pace that somebody has chosen: load. Beside a terminal error
// (reconcile.TerminalError) nothing is retried at all: stuck. Requeue changes
// nothing, since the error is retried anyway, and a Result that was filled under
// some other condition is mostly a matter of form: hygiene, though newer
// releases of controller-runtime log a warning each time. The fix empties
// Results with Requeue, which changes nothing but the warning; for the others
// there is none, since only you know which of the two you want.
//
// A function that returns so several times makes one mistake: it is reported at
// the first return, with the others as related places.
//
// Errors that may be nil on one of the paths to the return are right beside a
// Result, such as that of a call (return ctrl.Result{RequeueAfter: d},
// r.Update(ctx, backup)) or of errors.Wrap(err, …) of github.com/pkg/errors, and
// so are those of functions of the package that never fail. What a deferred
// function finds out about a named result says nothing about it. A Priority is
// right, too: it counts beside an error. A duration that may be 0, of a field, a
// parameter or a function, is reported with the strict flag only.
//
// # notfound-requeued
//
// The object that the request names does not exist any more, and the answer is
// to come back:
//
//	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
//		if apierrors.IsNotFound(err) {
//			return ctrl.Result{RequeueAfter: 5 * time.Second}, nil
//		}
//		return ctrl.Result{}, err
//	}
//
// It will not be found the next time either: the key of each object that was
// ever deleted stays in the queue until the operator restarts, and they add up.
// Return an empty Result and nil. An error instead of the requeue does the same
// with back-off, and so does a requeue beside client.IgnoreNotFound(err),
// unless that is known not to be nil there: then it is another error. Other
// objects, which may appear later, are worth waiting for. Where some keys of deleted objects are let
// go and others are not, by what the controller remembers of the object, it is hygiene. So it is where
// the controller's predicates let objects of one fixed name through alone: that is one key.
//
// # notfound
//
// The error of the first Get is returned as it is.
// Objects are deleted between the event and the Get all the time; the key is then
// retried with back-off until the operator restarts, and each time an error is
// logged and counted that is none. It is hygiene because objects
// of some kinds are never deleted. The fix returns client.IgnoreNotFound(err).
//
// # swallowed
//
// A write fails, and Reconcile, or a function that it leads to, returns success
// without a log line, an event, a condition or a requeue:
//
//	func (r *Reconciler) ensureJob(ctx context.Context, job *batchv1.Job) (bool, error) {
//		if err := r.Create(ctx, job); err != nil {
//			return false, nil
//		}
//		return false, nil
//	}
//
// Nobody hears of it, and nobody tries again before the object changes: what
// should have been written is lost. Return the error. Where the other results
// tell the caller that it has failed, as with true instead of the second false,
// this is left alone, and so are an error whose kind was asked for, such as
// AlreadyExists, a return with a comment above it that says why, and a Reconcile that asks to be
// run again wherever it succeeds. Failures that
// are only logged, or told as an event, are hygiene, unless the strict flag is set. Where
// all callers return the results of such a function unchanged, and have deferred one that
// may put a requeue, or the error of a later step, in their place, it is hygiene, too; the
// failure of the deferred function's own write does not count for that.
//
// It is the same if only one kind of error is looked at, mostly because the test
// is the wrong way round, and all others are forgotten:
//
//	if err := r.Delete(ctx, job); err != nil && apierrors.IsNotFound(err) {
//		return err // !apierrors.IsNotFound(err) was meant
//	}
//	return nil
//
// or if one function makes success of every error of a Reconcile:
//
//	func (r *Reconciler) failed(ctx context.Context, err error) (ctrl.Result, error) {
//		log.FromContext(ctx).Error(err, "failed")
//		return ctrl.Result{}, nil
//	}
//
// What is logged there is not retried: a conflict or a restart of the API server
// is enough to stop the object. Tell apart the errors that a retry cannot mend, and
// return the rest. Functions of other packages of the module are known, too; the
// finding is then at the call, and names the place.
//
// # past
//
// The time at which there will be something to do has passed already:
//
//	expires := backup.CreationTimestamp.Add(ttl)
//	return ctrl.Result{RequeueAfter: time.Until(expires)}, nil
//
// RequeueAfter is negative then, or 0, and controller-runtime takes neither for a
// requeue: the object is not looked at again before it changes. That happens
// when the operator was down at the time, or was slow by a moment. Give it a lower
// bound, as the fix does, or ask first whether anything is left:
//
//	return ctrl.Result{RequeueAfter: max(time.Until(expires), time.Second)}, nil
//
// Zero as a lower bound, by max(0, …) or a branch that does nothing else, is none: it asks for nothing just
// the same. Fall back to a delay that is fixed, the whole interval perhaps: after a second the time is still
// the same where nothing has moved it. Where the time was compared before, that is hygiene; where zero is asked for, or the Result, it is
// taken to be meant.
//
// Nor is a delay that nothing was put into a delay: where several are tried and the least is taken, one that is still
// zero makes all of them nothing.
//
//	after := time.Duration(0)
//	if failed {
//		after = backoff
//	}
//	after = min(after, interval) // bad: zero, unless it failed
//
// With a constant besides one delay alone that is hygiene: it may be the longest there is, and no delay be meant.
//
// Only times of objects, certificates and texts count: what the code has chosen
// itself lies ahead, and so does the end of a certificate that another package hands back. Where the same time was compared
// before, in this function, one that calls it, or one that these call, or where it is asked whether anything is left, whatever
// comes of that, this is left alone; so it is where another package of the module is asked a question about the object. Where
// the clock is read again after that, it is hygiene, since a moment's delay is enough; with
// the strict flag, what has gone by is compared in vain, too. Requeue beside it sees to the requeue.
// A difference that is the wrong way round (now less a time that is found to be to come)
// is never positive, and neither is what is left until a time that was just found to have passed:
// where something fails in that branch, return the error or a fixed delay.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:reconcileresult // reason. Please report
// it, too.
package reconcileresult

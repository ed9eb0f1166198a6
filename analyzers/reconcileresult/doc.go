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
// deleted objects go round for ever, and writes that have failed are never
// repeated. See
// https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/reconcile#Reconciler.
//
// The analyzer looks at each Reconcile and at the functions of the same package
// whose two results it returns unchanged. It follows Results through variables
// and helpers, and knows along each path whether the error is nil.
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
// so, up to some 17 minutes later, and each time a warning is logged. Return
// one of the two:
//
//	return ctrl.Result{}, err // back-off
//	return ctrl.Result{RequeueAfter: 5 * time.Second}, nil // five seconds; log the error
//
// Errors that may be nil are right beside a Result, such as that of a call
// (return ctrl.Result{RequeueAfter: d}, r.Update(ctx, backup)) or of
// errors.Wrap(err, …) of github.com/pkg/errors, and so are those of functions of
// the package that never fail. A Priority is right, too: it counts beside an
// error. The fix empties the Result, which changes nothing but the warning.
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
// ever deleted stays in the queue until the operator restarts. Return an empty
// Result and nil. Other objects, which may appear later, are worth waiting for.
//
// # notfound
//
// With the strict flag only: the error of the first Get is returned as it is.
// Objects are deleted between the event and the Get all the time; each time an
// error is logged and counted that is none. It is behind the flag because the
// retry ends at the next event and nothing breaks. The fix returns
// client.IgnoreNotFound(err).
//
// # requeue-deprecated
//
// With the strict flag only: Requeue is set to true, and the controller-runtime
// of this module has deprecated it. It comes back at the pace of the rate
// limiter, which is meant for errors and slows down each time. Set RequeueAfter
// to when there will be something to see. The fix removes Requeue where
// RequeueAfter stands beside it and says all. It is behind the flag since
// linters for deprecated names report the field already, and nothing is broken.
//
// # swallowed
//
// A write fails, and Reconcile answers with success without a log line, an
// event, a condition or a requeue:
//
//	if err := r.Update(ctx, backup); err != nil {
//		return ctrl.Result{}, nil
//	}
//
// Nobody hears of it, and nobody tries again before the object changes. Return
// the error. An error whose kind was asked for, such as AlreadyExists, has been
// thought of and is left alone.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:reconcileresult // reason. Please report
// it, too.
package reconcileresult

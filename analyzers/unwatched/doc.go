// Package unwatched finds watches that ask for the wrong objects, and children that
// nobody watches.
//
// A watch is good for what its handler makes of the events: the names that Reconcile is
// asked for. Where these names are not those of the reconciled kind, Reconcile finds nothing,
// takes the object for deleted, and returns without an error. The watch looks right, its
// metrics count events, and changes are still only seen when something else happens.
//
// # wrong-request
//
// EnqueueRequestForObject asks for the object of the event. For a kind other than the
// reconciled one that is the name of something else:
//
//	ctrl.NewControllerManagedBy(mgr).
//		For(&v1.Database{}).
//		Watches(&corev1.Node{}, &handler.EnqueueRequestForObject{}) // a Database named like the Node
//
// Map the object to those that depend on it:
//
//	Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(r.databasesOn))
//
// Where Reconcile gets, creates or changes objects of the other kind, they may be named like
// the reconciled one, and nothing is reported; nor where Reconcile does not look
// up the reconciled kind by its request.
//
// # owner-mismatch
//
// Owns asks for the owner that is the object's controller, if that is of the reconciled
// kind. Reconcile makes an object of another kind the controller of all such children:
//
//	controllerutil.SetControllerReference(deployment, pod, scheme)
//	…
//	For(&v1.Database{}).Owns(&corev1.Pod{}) // never asks for anything
//
// Watch the kind and map its objects. (SetOwnerReference instead of
// SetControllerReference is ownerref's category not-controller.)
//
// # child-not-owned
//
// With the strict flag: Reconcile creates children with its object as controller, and
// no watch of the controller is for their kind, so that nobody puts right what
// happens to them. Some controllers want it so.
//
// # Limits
//
// Only controllers of which all is known are reported: the kinds of For and of
// the watch, and what Reconcile does, which is not the case where it calls interfaces that
// several types of the module implement.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:unwatched // reason. Please report
// it, too.
package unwatched

// Package reconcilerstate finds state of reconcilers that concurrent reconciles share
// without a lock.
//
// The workqueue sees to it that one object is not reconciled twice at a time. Different objects
// are, as soon as MaxConcurrentReconciles is above one or several controllers run one
// reconciler; and all of them run methods of one struct. What Reconcile puts into a field of
// that struct, or into a variable of the package, the others find there.
//
// # map
//
// Go ends the process when it notices two goroutines in one map, "fatal error:
// concurrent map writes", and nothing can recover from that:
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		r.seen[req.NamespacedName] = time.Now() // several workers
//
// Guard the map with a mutex, or use a sync.Map. A lock that the workers take to change it
// does not help where an event handler of an informer, or its filter, looks into the map
// without.
//
// # per-object
//
// The object at hand, its request, a context or a logger is kept in the reconciler, and
// another reconcile replaces it before this one is done. It goes on with the wrong object,
// and writes that:
//
//	r.instance = instance
//	…
//	return r.updateStatus(ctx) // of whichever object came last
//
// Pass it on as an argument, or make a struct for each reconcile. A logger is
// hygiene: it has the wrong name in the log.
//
// # slice
//
// Two appends at a time store one of the elements only.
//
// # Limits
//
// Findings are limited to controllers whose number of workers is certainly above one, and
// to what several controllers of the package share; for maps, whose failure ends the process, a
// setting counts as above one, unless it is seen to be one by default. A number that is handed over
// counts if some caller hands over more than one, or a setting; what other packages hand over the command
// knows that sees the whole module, and elsewhere that is nothing. With the strict flag, an unknown number
// of workers counts as more than one. A function that takes a lock is taken to guard what it
// and all that it calls do; what sync.Once runs is left out, and so are fields that are
// set only while they are nil. Maps in API objects and in other structs are not followed.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:reconcilerstate // reason. Please report
// it, too.
package reconcilerstate

// Package selftrigger finds reconciles that cause their own next run.
//
// A controller watches the kind that it reconciles, and so hears of what it writes itself. A
// status that is the same again is no change for the API server, and nothing follows. But
// with a time or a random value in it, each write is a change, each change is an event, and each
// event is the next reconcile, forever. (A metav1.Time is stored in whole seconds: there the
// circle ends once two reconciles end in the same second.) Controllers
// that watch each other's objects multiply that.
//
// # clock-in-status
//
// Reconcile writes the time, or a random value, into the status each time:
//
//	now := metav1.Now()
//	database.Status.LastReconciled = &now
//	return ctrl.Result{}, r.Status().Update(ctx, database)
//
// Leave it out, or set it only when something else in the status changes:
//
//	if !equality.Semantic.DeepEqual(before.Status, database.Status) {
//		database.Status.LastReconciled = &now
//		…
//	}
//
// A filter on For that drops updates of the status only, such as
// GenerationChangedPredicate, ends the circle as well.
//
// # condition-flaps
//
// Reconcile replaces the conditions, with the current time as LastTransitionTime, although the
// status of the condition is what it was:
//
//	database.Status.Conditions = []metav1.Condition{{Type: "Ready", …, LastTransitionTime: metav1.Now()}}
//
// meta.SetStatusCondition keeps the time as long as the condition stays:
//
//	meta.SetStatusCondition(&database.Status.Conditions, metav1.Condition{Type: "Ready", …})
//
// # Limits
//
// Only assignments in Reconcile itself are seen, followed by a write of the same object, with no
// test on the way but those for errors and deletion; and only where the event certainly passes
// the filters of the controller. Counters, annotations and writes to other objects that
// are watched are not looked at.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:selftrigger // reason. Please report
// it, too.
package selftrigger

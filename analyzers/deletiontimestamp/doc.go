// Package deletiontimestamp finds deletion timestamps that are read of objects
// which may not have one.
//
// An object's DeletionTimestamp is a pointer, and nil until somebody deletes
// the object. Reading through it (.Time, .Sub, .Add, .After, .Format, .Unix,
// .String, *ts) panics on every live object. A panic in a reconciler stops the
// operator, or, where it is recovered, fails the same object again and again:
// the operator restarts in a loop, and works for nobody.
//
// The analyzer looks at objects that come from the API server: read by a client
// or a lister, listed, or handed to a handler, predicate, map function or
// reconciler. It reports a read if some path leads to it on which nothing has
// established that the object is being deleted. A check counts wherever it
// is: in the same condition, in an early return, a variable, a
// predicate helper (also in another package of the module), a caller, through
// the field or through GetDeletionTimestamp. A helper that reads the timestamp
// of its argument counts as soon as it is called with an object that may be
// live; one of another package is reported at the call. Objects that went through a filter, a merge, or code that the analyzer
// does not see are left alone, and so is a package whose predicates look at
// deletion.
//
// # nil-dereference
//
// The object is live most of the time, and the timestamp is nil:
//
//	if err := r.Get(ctx, key, &pod); err != nil {
//		return err
//	}
//	if time.Since(pod.DeletionTimestamp.Time) > grace { // panics
//
// Look first:
//
//	if !pod.DeletionTimestamp.IsZero() && time.Since(pod.DeletionTimestamp.Time) > grace {
//
// IsZero, Before and Equal of *metav1.Time can be called on a nil pointer;
// those of time.Time, reached through .Time, cannot:
//
//	if pod.DeletionTimestamp.Time.IsZero() { // panics
//	if pod.DeletionTimestamp.IsZero() {      // does not
//
// The fix drops the .Time there.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:deletiontimestamp // reason. Please
// report it, too.
package deletiontimestamp

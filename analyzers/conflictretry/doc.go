// Package conflictretry finds retries after conflicts that cannot help.
//
// An Update carries the resourceVersion of the object that was read. If
// somebody else has written the object since, the API server answers with a
// conflict, and the way out is to read the object again, make the change again,
// and write it. retry.RetryOnConflict runs a function until it returns no
// conflict any more; that the function does all three is up to its author. If
// it does not, the retry makes five attempts that cannot succeed, or reports
// success although nothing was written, and it happens only when there is
// competition, so that no test sees it. See
// https://pkg.go.dev/k8s.io/client-go/util/retry#RetryOnConflict.
//
// The analyzer looks at the functions that are handed to RetryOnConflict and
// OnError, to copies of these, and to knative's RetryUpdateConflicts, be they
// literals or declared functions, and follows objects and errors through
// helpers.
//
// # stale-object
//
// The function updates an object that was read outside it, and that it never
// reads again:
//
//	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
//		backup.Status.Phase = v1.PhaseDone
//		return r.Status().Update(ctx, backup) // the same resourceVersion each time
//	})
//
// The second attempt sends the same resourceVersion as the first, and fails in
// the same way. Read it inside:
//
//	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
//		if err := r.Get(ctx, key, backup); err != nil {
//			return err
//		}
//		backup.Status.Phase = v1.PhaseDone
//		return r.Status().Update(ctx, backup)
//	})
//
// Reading it after the write has failed, or in a helper, is right as well, and
// so are objects without a resourceVersion, creates, and patches. Where the
// error of the retry is returned, somebody tries again later and only the
// attempts are wasted: load; elsewhere the write is lost. Retries of one function, and of those that it calls, with
// objects of one kind are one finding.
//
// # swallowed
//
// The function asks for the conflict, reads the object again, and returns the
// error of that, which is nil:
//
//	err := r.Status().Update(ctx, backup)
//	if apierrors.IsConflict(err) {
//		err = r.Get(ctx, key, backup)
//	}
//	return err // nil: no retry, and the status is lost
//
// Keep the conflict: give the error of the Get a variable of its own, and
// return the first one. A return of nil where the object turns out to be being deleted is left alone, and so
// is one where reading it again has failed.
//
// # cannot-fire
//
// The function turns the conflict into an error that is none any more:
//
//	if err := r.Update(ctx, backup); err != nil {
//		return fmt.Errorf("update: %v", err) // IsConflict is false
//	}
//
// Wrap it with %w, or return it as it is. The fix does so where the format is
// written at the call. Where the error of the retry is returned, the conflict
// fails the whole call instead of being retried: load, or hygiene if each attempt
// asks the API server, since hardly anybody writes in between; elsewhere the write is
// lost.
//
// # failed-read
//
// The function reads the object again, and goes on if that fails:
//
//	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
//		if err := r.Get(ctx, key, backup); err != nil {
//			log.Error(err, "reading the backup")
//		}
//		backup.Status.Phase = v1.PhaseDone
//		return r.Status().Update(ctx, backup)
//	})
//
// Return the error of the Get. What was never read has no resourceVersion, so that it
// overwrites what others have written. What was read before has one, and conflicts again:
// an attempt is wasted, and no more (hygiene). An object that is made for each attempt has no
// name then, and no client sends it. A kind of error that was asked for, such as
// NotFound, has been thought of.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:conflictretry // reason. Please report
// it, too.
package conflictretry

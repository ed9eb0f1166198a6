// Package duplicatecreate finds children with generated names that a stale cache makes twice.
//
// A reconciler lists its children, finds none, and creates one. The list comes from
// a cache, which learns of the new child some time later. If Reconcile runs again
// before, it finds none again. With a name that is derived from the owner, the second
// request fails with AlreadyExists and nothing happens. With a generated or random name
// there are two: two jobs run, two volumes are bound, and code that
// expects one takes the wrong one, or deletes it with all that it owns.
//
// # generated-name
//
// An object whose name is new each time is created after a list of its kind from
// the cache decided so:
//
//	if err := r.List(ctx, &jobs, client.MatchingLabels{…}); err != nil || len(jobs.Items) > 0 {
//		return ctrl.Result{}, err
//	}
//	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: owner.Name + "-", …}}
//	return ctrl.Result{}, r.Create(ctx, job)
//
// So is one that takes over the name of the one that the cache shows, and has a new name
// where the cache shows none.
//
// The same happens where no list decides, but the status of the owner, such as the time of
// the last run, which is stored only after the child has been created: if that request
// fails, or the cache does not show the new status yet, the next round makes another one.
//
// Derive the name from the owner and what the child is for (a hash of it, a counter in the
// status), and take AlreadyExists for success:
//
//	job.Name = owner.Name + "-" + hash
//
// Or remember what was created until the cache shows it (expectations), wait
// for that, or list with the manager's APIReader before creating.
//
// # Limits
//
// A list through a client that also writes is taken to come from a cache; one through a
// client.Reader, a clientset, or what an accessor answers that is no manager's is not. Code that counts expectations,
// keeps a map of what it has made, polls, or deletes superfluous objects of the kind, itself or by helpers
// that get a part of the list, is left alone, and so is what does not run for the items of a queue. Where a
// list that is kept in a field decides about the creation, or a status where something may look for the
// children as well, nothing is said; nor where a list decides and something with a
// name that stays the same is created before, whose refusal ends the second run.
//
// One too many is hygiene where little comes of it: where the children are counted and what a number
// lacks is made up for, as the next pass takes away what is too much; where the status of the owner is
// always stored before, with the version that was read, and again after the creation, so that a pass which
// has not seen that fails; and where the controller does not hear of its own status, so that nothing runs
// the next pass at once.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:duplicatecreate // reason. Please report it, too.
package duplicatecreate

// Package cachesync finds caches that are used before they are filled, and waits
// for them that go wrong.
//
// An informer starts with an empty cache, and fills it with the answer of a list
// that may take seconds, or, where the kind is not served or may not be listed,
// never comes. Who reads a lister before that is told that nothing exists, without
// an error: the controller creates what is there already, or deletes what belongs
// to objects that it does not see (loss). The wait, cache.WaitForCacheSync and its
// like, is therefore part of starting a controller, and so is what it answers.
//
// # ignored
//
// The wait has failed, which nobody asks, and caches are used all the same:
//
//	cache.WaitForCacheSync(ctx.Done(), c.podsSynced)
//	c.removeOrphans() // lists pods: none, so that everything is an orphan
//
// It answers false if its context ends first. Return then:
//
//	if !cache.WaitForCacheSync(ctx.Done(), c.podsSynced) {
//		return
//	}
//
// The analyzer reports what goes wrong on the way that follows: listers and stores
// of informers that are read, workers that take items off a queue, and wait groups
// that nobody counts down since wait.Until does not call its function any more. If
// the wait has a timeout of its own, every use of the caches counts. A function that
// waits and drops the answer cannot tell its callers: what they use counts, too. A wait whose
// failure is logged, and the function goes on, is the same mistake. Workers that
// wait.Until runs with the same stop channel do no harm then, and are reported
// with the strict flag only; so are waits that end with a request, and those whose
// timeout is noted.
//
// After a timeout the process goes on, and it is loss where what follows writes to
// the API server, load otherwise. It is hygiene if the wait fails only when the
// process ends: that must come within the seconds of the first list, and what goes
// wrong then is over soon.
//
// # missing
//
// Caches are read, or workers are started, after the informers have been started
// and before anybody has waited:
//
//	factory.Start(ctx.Done())
//	pods, err := podLister.List(labels.Everything()) // empty
//
// A time.Sleep between the two is no wait. Workers are reported where the package makes the informers, does not hand them
// out, and asks nowhere whether they have filled their caches, or where the function
// that starts the workers waits after that; and if they list, or read several
// kinds: the object whose key is handled is in the cache by then. A worker that
// waits for itself is right, and so is one whose queue is filled by handlers that
// are registered after the wait. If others wait after it has started, and it writes
// nothing to the API server, it is only early: that is hygiene.
//
// One of several caches is left out of the wait: its HasSynced is kept in a field that
// nothing reads, beside those that are waited for, and its lister is used. If another package
// hands over the informers, it may wait for all of them: that is hygiene.
//
// # in-reconcile
//
// A reconciler, event handler or HTTP handler waits without a limit:
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		go informer.Run(r.stop)
//		cache.WaitForCacheSync(r.stop, informer.HasSynced)
//
// If the list is refused or the kind is not installed, the worker is lost until
// the process ends, and after as many such requests as there are workers the
// controller stands still, without an error. Wait with a timeout, and return an
// error, so that the key is tried again. A wait in a handler of events is hygiene: it holds up the events of
// that one handler, which go on when the list succeeds.
//
// # not-started
//
// The informers that are waited for were made in the same function, and nothing
// starts them, or they run only after the wait. cache.WaitForCacheSync waits in vain then, and the factory's own
// method WaitForCacheSync, which looks at running informers only, returns at once.
//
// # endless
//
// The wait can neither fail nor be stopped, and is not in the main package:
//
//	func (m *Middleware) Wrap(next http.Handler) http.Handler {
//		if !cache.WaitForCacheSync(wait.NeverStop, m.nodesSynced) {
//
// Wait until the context or stop channel ends that the informers run with. Where one
// is at hand, ctxdone says so. It is hygiene: the program has not begun to work, and its
// reflectors log each second what they may not list.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:cachesync // reason. Please report it, too.
package cachesync

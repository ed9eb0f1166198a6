// Package nestedtimeout finds deadlines that do not do what they say, and contexts that end before their work does.
//
// A context made by context.WithTimeout(parent, d) ends when d is over, when its parent ends, or when its cancel function
// is called, whichever comes first. What the code says, five minutes for this step, holds only if the parent lives as
// long. In production, the deadline that counts is then another one than everybody reads in the code: retries run on
// what is left of a budget that nobody knows of, a graceful shutdown is over before it begins, a response breaks off in
// the middle. None of this shows in tests, where everything is fast.
//
// The analyzer follows contexts from where they are made: through variables, function literals, pollers, and helpers in
// any package of the module. It looks at the paths of a function to tell where a context is known to have ended.
//
// Bad:
//
//	<-ctx.Done()
//	shutdownCtx, cancel := context.WithTimeout(ctx, 5*time.Second) // has ended before it begins
//	defer cancel()
//	return server.Shutdown(shutdownCtx) // open connections are cut off at once
//
// Good: derive it from a context that nothing has cancelled:
//
//	<-ctx.Done()
//	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
//	defer cancel()
//	return server.Shutdown(shutdownCtx)
//
// Before Go 1.21 there is no context.WithoutCancel: derive it from context.Background, with what of the values is needed, or
// from a context of whoever waits for this.
//
// Right, and not reported: a shorter timeout within a longer one, as a share of a budget or for each attempt; timeouts
// side by side; contexts that begin anew with context.Background or context.WithoutCancel; durations that depend on
// configuration.
//
// # already-done
//
// A context that has ended is used, or given a timeout, after its end. It has ended
//
//   - after a receive from its Done channel, also in a case of a select and in the code after a loop that only this
//     ends; where Err is not nil;
//   - after a function that returns only then: wait.Until and its like, an informer's Run, functions of the module;
//     where WaitForCacheSync returns false;
//   - after its cancel function was called, or the Close of an object that was made with the cancel function. A cancel
//     that is deferred runs before what was deferred earlier;
//   - from the second attempt on, if a function literal that is tried again cancels it (retry.RetryOnConflict, wait.Poll…,
//     helpers of the package that run a function in a loop);
//   - after Wait of the group that it belongs to: the context of errgroup.WithContext is cancelled when Wait returns.
//
// A goroutine's context has ended as well if it is cancelled between the start and the wait for it. And a timeout has passed
// at once whose number is in another unit: context.WithTimeout(ctx, 60), time.Duration(d.Seconds()).
//
// Every call with such a context fails at once: the lease is not released, the last status is not written, the fallback
// is never tried, while the code looks as if it were.
//
//	g, ctx := errgroup.WithContext(ctx)
//	...
//	if err := g.Wait(); err != nil {
//		return err
//	}
//	return r.Status().Update(ctx, obj) // bad: "context canceled", each time
//
//	g, groupCtx := errgroup.WithContext(ctx)
//	...
//	return r.Status().Update(ctx, obj) // good
//
// Reported is the first use for each end, if the context has ended on all paths that lead there. After a call of the
// cancel function, one path is enough. A use is a call that takes the context and can fail, or a function of the module
// that makes one without asking first whether the context has ended. A Shutdown of net/http's server with such a context
// is hygiene: it has closed the listeners by then, and fails only while a request is under way (of 6 judged, maintainers
// wanted 3; of the others, all 4). The fix derives the timeout from
// context.WithoutCancel, and the advice names it, if the module's Go version has it.
//
// # cancelled-early
//
// The context is cancelled, as a rule by a deferred cancel, while something that was got with it still needs it: the body
// of an HTTP response, a watch, a stream of logs or of gRPC, rows or a transaction of a database, an object that keeps
// the context. The caller who reads gets "context canceled" in the middle, and only if the response is long or slow enough
// not to have been buffered.
//
//	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
//	defer cancel()
//	return client.Do(req.WithContext(ctx)) // bad: the body cannot be read any more
//
// Good: read the body before returning, or let the caller cancel. The same goes for a helper that returns a context which
// it has cancelled: it must return the cancel function, too. Listers and informers whose factory was started with a
// context that the function cancels are reported as well: they are stopped, and forever return what they knew then. A
// goroutine is reported if it makes one call with the context, nobody waits for it, and the function returns at once.
//
// # shrinking
//
// Timeouts are derived from each other, again and again, by assigning to one variable: each gets what the former left.
//
//	for _, pod := range pods {
//		ctx, cancel = context.WithTimeout(ctx, 10*time.Second) // bad: 10 seconds for all of them
//		err := r.Delete(ctx, pod)
//		cancel() // and the next round begins with a cancelled context
//		...
//	}
//
//	for _, pod := range pods {
//		podCtx, cancel := context.WithTimeout(ctx, 10*time.Second) // good
//		err := r.Delete(podCtx, pod)
//		cancel()
//		...
//	}
//
// Steps one after the other that share a variable are reported if the later timeout is as long as the former.
//
// # never-fires
//
// A timeout is at least as long as one that its context has already: the number in the code is fiction. Pollers
// (wait.PollUntilContextTimeout) and HTTP clients with a timeout of their own count as well.
//
//	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
//	defer cancel()
//	...
//	return wait.PollUntilContextTimeout(ctx, time.Second, 5*time.Minute, true, ready) // bad: 30 seconds at most
//
// A function that sets a timeout on its parameter is reported where it is called, if it is called from its package only
// and all callers hand in less; otherwise the timeout is there for the others. Equal timeouts are reported if something
// may take time in between, and are hygiene.
//
// # outer-overridden
//
// The context with a timeout has no use but as the parent of one that ends earlier: the outer timeout never matters. One
// of the two is a leftover. This is hygiene: what happens is what the inner timeout says.
//
//	ctx, cancel := context.WithTimeout(ctx, time.Minute) // bad
//	defer cancel()
//	ctx, cancelInner := context.WithTimeout(ctx, 10*time.Second)
//	defer cancelInner()
//
// # defer-in-loop
//
// A cancel function that is deferred in a loop runs when the function returns, not at the end of the round. Each round
// leaves its context behind, with the deferred call; in a loop that does not end, that is a leak, and in others hygiene.
//
//	for _, pod := range pods {
//		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
//		defer cancel() // bad: call it at the end of the round, or make the round a function
//		...
//	}
//
// # nested
//
// With the strict flag, any timeout of a context that has one: shares of a budget, and unknown durations.
//
// # Limits
//
// Durations count if they are constants, or variables and fields of the package that are set to one constant. A context
// that is kept in a field counts within one function. Interfaces are followed if they have one implementation in their
// package, or if all implementations that the package and its imports have need the context. What is stored, sent, or handed to a goroutine together with a context is out of sight, and not reported.
//
// # Options
//
// -strict reports also: nested timeouts, see above; contexts that have ended on some of the paths only (already-done);
// functions that other packages can call as well and whose timeout is pointless for this caller (never-fires); timeouts
// whose context is only handed to a function that sets a shorter one (outer-overridden).
//
// -tests and -generated report findings in _test.go files and in generated files, too. To silence a finding, write
// //nolint:nestedtimeout or //lint:ignore nestedtimeout reason on its line or on the line above.
package nestedtimeout

// Package workqueue finds workqueues that are not used as they have to be.
//
// A workqueue of client-go takes keys from event handlers and hands them to
// workers: each key once, however many events there were, and to one worker at a
// time. That rests on a protocol which the compiler does not know: what Get
// returns is given back by Done, what has failed is added by AddRateLimited, what
// has succeeded is forgotten by Forget, and ShutDown lets the workers go. Where a
// part of it is missing, tests pass, and the controller stops, spins or slows
// down in production.
//
// The usual worker has all of it:
//
//	func (c *Controller) processNextItem(ctx context.Context) bool {
//		key, quit := c.queue.Get()
//		if quit {
//			return false
//		}
//		defer c.queue.Done(key)
//		if err := c.sync(ctx, key); err != nil {
//			c.queue.AddRateLimited(key)
//			return true
//		}
//		c.queue.Forget(key)
//		return true
//	}
//
// The analyzer knows queues by their methods, so that the typed ones, those from
// before generics, controller-runtime's priority queue and types that embed a
// queue count alike. It follows a queue through fields, variables, lists,
// parameters, results and closures, and through helpers in other packages of the
// module. Where a queue gets to code that is not known, it says nothing about
// what nobody is seen to do.
//
// # no-done
//
// There is a way from Get to the next Get, or to the end of the function, without
// Done: the queue goes on to believe that the item is being processed. When the
// item is added again, it waits for that to end, forever. It takes one early
// return:
//
//	key, quit := c.queue.Get()
//	if quit {
//		return false
//	}
//	if err := c.sync(ctx, key); err != nil {
//		c.queue.AddRateLimited(key)
//		return true // no Done: never processed again
//	}
//	c.queue.Forget(key)
//	c.queue.Done(key)
//	return true
//
// Done may be in a function that is called, in a literal or in a goroutine, if
// all ways through it have one. A function that only returns what Get returns leaves Done
// to its callers. What Get returns is nil, or the empty key, only when
// the queue is shut down: Done behind a test for that covers every item. Deferred in the loop that calls Get, it comes too
// late. Items that are returned, sent or stored belong to whoever gets them. Done of
// a part of the item (its key, say) is none, since the queue knows the whole only.
// Queues of other make than client-go's are left alone, since their Get may say true
// where client-go's says false.
//
// Where SplitMetaNamespaceKey refuses the key, which no object has, or a select has found that
// the context is over, and the queue with it, that is for the strict flag.
//
// # hot-retry
//
// An item that has failed is put back by Add. It comes back at once, and again,
// as fast as the worker can fail. NumRequeues before that is no help, since only
// AddRateLimited counts.
//
//	if err := c.sync(ctx, key); err != nil {
//		c.queue.Add(key) // bad: use AddRateLimited
//	}
//
// It is right to read again at once after a certain kind of error, such as a
// conflict, and so is Add where the worker sleeps, or ends and is started again
// after a period.
//
// # no-forget
//
// Items are added by AddRateLimited, and when they succeed nobody calls Forget:
// the rate limiter counts on. An item that fails now and then waits longer each
// time, up to a quarter of an hour with the default one, and the memory for all
// items that have ever failed is never freed. Forget only where the worker gives up
// does not help those that succeed. Printed by default are queues to which AddRateLimited is the ordinary way, so that
// every item there ever was is kept, and those where Forget runs in the wrong place (2 of 2 judged findings were wanted);
// where only what has failed is added so, and nothing calls Forget, that is hygiene (0 of 2). The fix of hot-retry is offered only where
// something calls Forget.
//
// A queue without a rate limiter needs no Forget, nor does one whose rate limiter
// counts nothing per item (a bucket), and one of the program's own is its own
// affair.
//
// # pointer-key
//
// An event handler adds a pointer: to a new struct of names for each event, or to
// the object, of which each update brings another copy. No two of them are equal. Nothing is
// deduplicated, two workers, if there are as many, get the same object at the same time, and failures
// are counted for a key that never comes again.
//
//	c.queue.Add(&request{pod.Namespace, pod.Name}) // bad
//	c.queue.Add(request{pod.Namespace, pod.Name})
//
// Pointers that are kept in a map and found again, structs that carry objects (such
// a queue is a list of messages), and objects that have been deleted, whose
// last state is nowhere else, are right.
//
// # rate-limited-events
//
// An event handler adds by AddRateLimited, which counts the event as a failure. The
// more often an object changes, the longer it waits; after a start all objects
// go through the rate limiter's bucket, ten a second; and an event does not
// come through sooner than the retry would. AddWithOpts of controller-runtime's
// priority queue, with RateLimited, does the same.
//
//	UpdateFunc: func(_, cur any) { c.queue.AddRateLimited(keyOf(cur)) } // bad: use Add
//
// After a failure in the handler it is right, and so it is where the caller of a
// helper asks for it, and with a rate limiter that counts nothing per item or that
// is the program's own. Handlers of generic events, which no watch has, are left
// alone, and so are those of a package whose predicates let one object pass, by its name. If the AddRateLimited is in another package, the finding is where the
// handler's package calls it. There is one finding for a queue, or for the type
// that has the handlers; the other places are related ones.
//
// # no-shutdown
//
// Workers are told to stop by a context or a channel, and stay in Get, since
// nobody calls ShutDown. What that does depends on who waits. A sync.WaitGroup, an
// errgroup or a manager that waits for the workers waits forever, and the shutdown
// is stuck. A queue that is made for each event or request leaves its workers
// behind each time: a leak. Workers that nobody waits for end with the process, which is
// hygiene. One finding is made for all queues that a function makes, where workers are
// started; if other queues of the same struct are shut down, it is there. ShutDown of a field that nothing ever sets panics, which ends the
// shutdown of all queues after it.
//
// # bypassed
//
// An event handler calls the function that the workers call with an item, with
// its error being that of the item: it runs at the same time as
// a worker for the same object, for each event, blocks the informer, and is not
// tried again if it fails. Only functions that write to the API server count.
//
// # other-queue
//
// A controller has several queues, the worker of one is a copy of another's, and one
// name was not changed:
//
//	key, quit := c.pods.Get()
//	...
//	defer c.pods.Done(key)
//	if err := c.syncPod(key); err != nil {
//		c.nodes.AddRateLimited(key) // bad: c.pods
//		return true
//	}
//	c.pods.Forget(key)
//
// A Done that goes to another queue leaves the item in its own, which never hands it
// out again (stuck). An AddRateLimited gives the workers of another queue a key that means
// nothing to them, and the retry is lost. A Forget leaves the failures counted (leak).
// Queues that are handed to a worker, or to a function that it calls, are followed
// to what the caller hands over, so that a worker for all queues is right.
//
// Items may well go from queue to queue. So this is reported only where the item's
// own queue is never told the same, where both queues are made in the package, and, for
// AddRateLimited, after a failure of no certain kind and where the workers of the other queue do
// something else.
package workqueue

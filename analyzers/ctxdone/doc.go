// Package ctxdone finds code that goes on when its context has ended.
//
// A manager that shuts down, or loses its leadership, cancels the contexts of what it runs and waits for it; an API server or a
// client that has given up cancels the context of its request. Code that does not listen goes on: shutdown hangs until the
// process is killed, a replica that is no longer the leader keeps writing, requests that nobody waits for pile up, and
// one dead dependency holds all the workers of a controller.
//
// # endless-loop
//
// A loop that nothing ends when the context or stop channel at hand does: a parameter, also of a function around the
// loop or of one that calls it or starts it in a goroutine, a request, a field of the receiver.
//
//	go func() {
//		for range time.Tick(r.period) { // nobody closes the channel
//			r.report()
//		}
//	}()
//	<-ctx.Done()
//
// The goroutine goes on when leadership was lost; a loop that the manager waits for keeps it from shutting down until the kubelet
// kills it. Who waits decides the harm. Printed by default are loops that hold a worker, an informer's handler or an admission request forever, or
// outlast a deadline that was set for them (stuck), and those that each event or item starts anew (leak): of those judged in operators,
// maintainers wanted 3 of 3. So are loops whose end is waited for, without a limit, once they are told to stop: by the Wait of their
// WaitGroup or errgroup, a receive from the channel that they alone close, or whoever handed the group in. Stop or Run then hangs, the lease is kept until
// the process is killed. All others end with the process, and are hygiene: of those, 0 of 7 were wanted. So are loops that go on only as long as the API
// server cannot be read, since that ends by itself (0 of 3). Wait in a select:
//
//	for {
//		select {
//		case <-ctx.Done():
//			return
//		case <-ticker.C:
//			r.report()
//		}
//	}
//
// Retrying until it succeeds is the same mistake once the context is over, since each further call fails at once:
//
//	for {
//		secret, err := r.load(ctx, name)
//		if err == nil {
//			return secret
//		}
//		time.Sleep(time.Minute) // bad: return if ctx.Err() != nil
//	}
//
// So it is with a context whose deadline was set before the loop, and with WaitForCacheSync, which returns false at once.
// Loops that pause are reported as well if they are left only when something outside (an object, a list, what a
// command prints) is as they want it. In what the worker of a queue, an informer or the API server calls that holds the worker, with or
// without a context at hand: the queue would try again by itself. Where they hold the worker of a queue, they are reported as well if they end when
// the look-up fails, or when the object is gone: they wait for a state without a limit all the same.
//
// A loop can also spin:
//
//	for {
//		select {
//		case <-ctx.Done():
//			break // bad: leaves the select, not the loop
//		case event := <-w.ResultChan(): // bad: always ready once the server has closed the watch
//			r.handle(event)
//		}
//	}
//
// A loop that spins on its own context, and a worker that does so once its queue is shut down, mostly has the rest of the process for it:
// that is hygiene, unless somebody is held up. So is one on a watch beside a timer that was set before the loop, and one that no entry
// point of an operator is seen to reach.
//
// A channel of empty structs that a loop receives from, works, and receives from again is a trigger and no stop channel.
//
// Right are loops that ask ctx.Err() or a helper, that end with their queue, with a channel that may be closed, with a flag or a
// condition variable, that return the error of a call, that are bounded by a counter, a timer or the clock, and that go over finite data. What cannot
// be told counts as right. Loops in functions which only ever get context.Background(), in test helpers, and whose context
// is that of a command-line command end with the process.
//
// With strict, a loop in a goroutine counts too if its context is at hand only further up than in the function that starts the
// goroutine.
//
// # sleep
//
// A sleep, or a bare receive from a timer, listens to nothing. In a reconciler or in the worker of a workqueue it holds a
// worker: with two workers and a sleep of a minute, two objects that are not ready stop the whole controller. In an informer's
// handler all events that follow wait, in a webhook the API server gives up, and everywhere a shutdown waits until the
// process is killed.
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		...
//		if !ready {
//			time.Sleep(30 * time.Second) // bad
//		}
//
//		if !ready {
//			return ctrl.Result{RequeueAfter: 30 * time.Second}, nil // good: the worker takes the next object
//		}
//
// The worker of a plain queue puts the key back with AddAfter: a select with the context would hold the worker just as long, since the
// context of a reconcile ends with the process. Elsewhere, wait for both:
//
//	select {
//	case <-time.After(d):
//	case <-ctx.Done():
//		return ctx.Err()
//	}
//
// Reported are sleeps where a context or stop channel is at hand: a parameter, also of a function around a literal or of a
// caller in the package, the request of a handler, a field of the receiver or of a parameter. In what a reconciler, worker,
// informer handler or webhook calls they are reported without any context as well; the message has the way from there. If a
// helper of another package sleeps for its callers, the finding stands at the call in the package that has the entry
// point or the context, once for each helper, with the place of the sleep in the message.
//
// How long a loop sleeps in all is computed where its rounds are counted and its pauses known, also where they double or grow with the
// round. Printed by default is what is known to last: more than a minute in a worker or handler, and ten seconds in a webhook, which is as long as the API server waits. That is
// stuck, and maintainers wanted it in 5 of 7 judged findings. Those of one file are one finding, at the longest. Less than that, or who knows how long, is hygiene (of those, 9 of 21 were wanted), and so is a pause that only a shutdown waits for, which the kubelet ends, or a request over HTTP, which has a goroutine of its own, and one in a loop that asks in each round whether its context has ended.
//
// Not reported are pauses of less than a second, unless they hold a worker for more than five in all; outside of loops, those of one second that hold up no more than a worker or the end; loops that ask in each round whether the context has ended, if they sleep for
// five seconds at most (two where a worker is held, and any time in a goroutine, which nothing waits for), or that end because a call with the context fails, if they
// sleep for one; loops that sleep for three seconds in all; loops under a context that all callers in the package make up; what runs after the context has ended; a goroutine that sleeps once before it begins, or for two seconds at a time; and commands, to which all that lies in a directory cmd belongs. With
// -strict these are reported as well where they may matter. The fix writes the select where nothing but the caller waits and the function can return: it
// returns nothing, or an error as its last result.
//
// # blocking-send
//
// A send to a channel without room waits for a receiver. If the receiver has gone, since its context has ended, its time was
// up or something has failed, the send waits forever: the goroutine stays in memory with all that it holds, the
// informer's handler hangs and with it all other events of that listener, the function that feeds a worker never
// returns. The end of the context does not help a goroutine that does not listen to it.
//
//	result := make(chan error) // bad: make(chan error, 1)
//	go func() { result <- probe(ctx) }()
//	select {
//	case err := <-result:
//		return err
//	case <-ctx.Done():
//		return ctx.Err()
//	}
//
// Where more than one value is sent, the sender has to listen as well:
//
//	AddFunc: func(obj any) {
//		updates <- obj.(*v1.Backup) // bad: the stream that receives has ended
//	}
//
//	AddFunc: func(obj any) {
//		select {
//		case updates <- obj.(*v1.Backup): // good
//		case <-ctx.Done():
//		}
//	}
//
// Reported as well are a goroutine that feeds an io.ReadCloser or a watch.Interface by plain sends, which Close or Stop
// does not reach; a receive from a channel whose only sender, which sends once, may end without a word; and a range over a channel that
// is not closed on all ways.
//
// A function that hangs, and an event handler, which keeps all later events waiting, are stuck; a goroutine that hangs is a leak. Printed by default are those whose receiver
// goes away while the process goes on, as far as one can see: its time is up, the context of a request or of a call has ended, or something has failed (of
// those judged, maintainers wanted 15 of 18). A receiver that is told to go by a stop channel, or by the context of a reconcile, takes
// the process with it (2 of 6), the callback that is told of a new leader is one goroutine for each, who receives for ever has as a rule got
// what there was to get (0 of 4), and who ranges over a channel that nobody closes is a goroutine of a pool: these are hygiene.
//
// The channel has to be made in the package, and all that is done with it has to be seen: one that is kept in an exported
// field, an interface or a global variable, or handed to code that is not known, is not looked at. A receiver that takes what is
// left, a receiver that asks first how many values are there (len), a sender that has room for every value, one that tells the receiver when it has sent all, semaphores and
// worker pools that end with the channel are right. A goroutine that a handler or reconciler starts and that hangs in
// its send is reported by handlergoroutine. What happens once, when the process ends (in main, in a command, in a
// Runnable, in a function that waits for a server), is reported with -strict only, and so is a sender that looks whether
// the context is done right before it sends, or whose last call fails if the receiver's context is, which leaves a race. Sends
// that are stranded at one place, and mended by a buffer, are one finding, and so are those of all informers' handlers.
//
// If the receiver closes the channel whenever it goes, by a defer or on its way out, the send does not hang: it panics, and the process
// with it. That is a crash. Leave such a channel open; nobody has to close one.
//
// # stop-dropped
//
// A poller, wait.Until, an informer or a factory runs until its context or stop channel ends. If it is given one that never
// ends (wait.NeverStop, context.Background, nil, a channel that nobody closes), although one is at hand, then it goes
// on after its owner has been stopped, and whoever waits for it waits forever.
//
//	func (c *Controller) Run(stopCh <-chan struct{}) {
//		if !cache.WaitForCacheSync(wait.NeverStop, c.synced) { // bad: pass stopCh
//			return
//		}
//		go wait.Until(c.worker, time.Second, wait.NeverStop) // bad: pass stopCh
//
// A common way to lose a stop channel is the step from wait.PollUntil to the pollers with a context:
//
//	wait.PollUntilContextCancel(context.Background(), time.Second, true, ready) // bad: wait.ContextForChannel(stopCh)
//
// The pollers that take no context at all, wait.Poll, PollImmediate, PollInfinite and wait.Forever, are reported where a
// context is at hand, and wait.ExponentialBackoff where its pauses add up to more than five seconds:
//
//	wait.PollImmediate(time.Second, 10*time.Minute, ready)                   // bad
//	wait.PollUntilContextTimeout(ctx, time.Second, 10*time.Minute, true, ready) // good
//
// The context may be a caller's, up to three calls away, and the call in a function of another package of the module that
// has none: then the finding is at the call of that function.
//
// Printed by default is what goes on in a goroutine whose end is waited for, as with endless loops, and are pollers without a timeout that
// hold a worker, an informer's handler or an admission request: they wait as long as the answer is no, and with as many such objects as there are
// workers nothing is reconciled any more. All others are hygiene: what is only started ends with the process, caches are filled as a rule, and a poller with
// a timeout gives up (of those, 1 of 7).
//
// Not reported are pollers that give up after five seconds at most, or whose condition asks for the end of the context itself;
// what is started, and not waited for, in a reconciler or handler, since it may be meant to outlive the call; a factory
// that is started by a function which uses its context for nothing that lasts; and what runs when the context has ended. The fix
// passes what is at hand, or writes the poller with a context if the condition is a literal.
//
// # watch
//
// A watch is a connection to the API server and a goroutine. It ends when the context ends with which it was opened,
// when it is stopped, or when the server has had enough, which may take an hour.
//
//	w, err := client.Resource(gvr).Watch(context.TODO(), metav1.ListOptions{})
//	...
//	for event := range w.ResultChan() { // bad: goes on when the process is to stop
//
// Hand the caller's context to Watch; or set TimeoutSeconds, or let somebody call Stop.
//
// A watch that is left by return or break stays open until its context ends, and that of a reconcile does not end when
// Reconcile returns. It is reported where it is opened again and again: for each event or item, or in a loop whose rounds leave
// one each; elsewhere with -strict only. One that is left when its loop is, is one in all.
//
//	w, err := r.Watch(ctx, &corev1.PodList{})
//	...
//	defer w.Stop() // without it: one more watch for each reconcile
//	for event := range w.ResultChan() {
//		if ready(event) {
//			return nil
//		}
//	}
//
// The loop over a watch that nothing ends is stuck where it holds a worker, a leak where each event or item starts one, and hygiene where it ends with the
// process, as the server does it anyway; a watch that is left open each time is a leak. One that a loop leaves open when it opens the next is
// hygiene: mostly the server has ended it (none of three was wanted).
//
// A function that does nothing but open a watch leaves it to its callers, where the finding is then. A watch that is handed
// out otherwise or kept is for others to stop. A context of the function's own that is cancelled when it
// returns, or that of a request, ends the watch as well.
//
// # http
//
// Whoever serves a request waits for others under the request's context: when the client or the API server has given up,
// the response is of no use to anybody. Without it one upstream that does not respond holds every request that comes; they
// pile up with their connections and buffers until memory runs out.
//
//	func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
//		resp, err := http.Get(s.upstream) // bad: http.DefaultClient has no timeout either
//
//		req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, s.upstream, nil) // good
//		resp, err := s.client.Do(req)
//
// Reported are requests without a context (http.Get and its like, http.NewRequest followed by Do), net.Dial and the
// lookups of package net, and database queries for which there is a method with a context, in HTTP and admission handlers and
// what they call in their package. Requests of net/http are printed by default, the others are hygiene: the system and the database have limits of their own. Of clients those are reported that are seen to be made without a timeout, all others with -strict only. Calls
// that take a context, and get one that nothing cancels, are a subject of detachedctx.
//
// # exec
//
// A process that is started with exec.Command is not killed when the context of its caller ends. If it hangs, its caller
// does: the worker is lost, and a shutdown waits until the pod is killed.
//
//	out, err := exec.Command("pg_dump", database).CombinedOutput()             // bad
//	out, err := exec.CommandContext(ctx, "pg_dump", database).CombinedOutput() // good: killed when ctx ends
//
// That is hygiene: the process ends with the pod, and most commands are over in an instant. (The one judged finding behind a request was not wanted.)
//
// Reported are processes that a function with a context among its parameters starts and waits for. If the process is kept or
// handed to another function, or anything uses its handle (an own timer that kills it), it is left alone. Functions without a
// context of their own that an entry point or a caller with a context reaches, and commands, are reported with -strict.
//
// # Limits
//
// What a context is called makes no difference, nor where it lies: parameters, captured variables, requests, and fields of
// receivers and parameters count, contexts in package-level variables do not. Functions are followed within their package, and
// helpers in other packages of the module by what is known of them: which sleep, which listen, which receive from a channel. Packages
// that import nothing of Kubernetes are not looked into, nor are those that serve tests. Libraries for retries other than
// apimachinery's and client-go's are not known.
//
// # Options
//
// -strict reports doubtful variants, as said above. -tests and -generated report findings in _test.go files and in generated files, too.
// To silence a finding, write //nolint:ctxdone or //lint:ignore ctxdone reason on its line or on the line above.
package ctxdone

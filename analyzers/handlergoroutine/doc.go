// Package handlergoroutine finds goroutines that event handlers and reconcilers start and leave behind.
//
// An informer calls its handlers for every event and, with a resync period, for every object again and again. A
// controller calls Reconcile for every change of an object. A goroutine that is started there and outlives the call is
// started once more each time, and nothing bounds how many there are: a burst of 1,000 objects is 1,000 goroutines.
// The workqueue's deduplication, its rate limit and the number of workers are bypassed; two goroutines for one object
// race with each other; and at shutdown nobody waits for them.
//
// The analyzer follows the calls from each event handler, predicate, map function, reconciler (controller-runtime's,
// knative's, crossplane's) and workqueue worker, also into other packages of the module, to go statements and their
// like: WaitGroup.Go, errgroup.Group.Go, wait.Group.Start, go wait.Until, time.AfterFunc. The message names the entry
// point; the way from there is in the related places. If the goroutine is started in another package, the finding is at
// the last call in this one, with the place of the go statement in the message.
//
// A goroutine that never ends is a leak, and so is one that holds the object which others change: two of them work on
// one object. One that ends by itself and has only names, or an object that nobody is seen to change while somebody else has
// it, is hygiene, which is not printed by default: what is left of it is that no queue bounds how many run at once. But
// what it writes is lost if that fails, and nobody tries again.
//
// Bad:
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		...
//		go r.provision(backup) // one more for each reconcile, beside those that still run
//		return ctrl.Result{}, nil
//	}
//
// Good: do the work in the reconcile, in steps that are short, and requeue:
//
//	done, err := r.provisionStep(ctx, backup)
//	if err != nil || !done {
//		return ctrl.Result{RequeueAfter: 10 * time.Second}, err
//	}
//
// Good as well, and not reported: a goroutine that is waited for before the call returns (a WaitGroup, an errgroup, a
// channel that is received from), whose context is cancelled when the call returns, that is started once (sync.Once, a
// map of what runs, a flag, or an object that is asked first whether it has the key), that replaces one which is stopped first, that takes a slot of a semaphore, or that
// returns at once because it only logs, counts, adds to a queue or sends to a channel, works in memory under a lock, or
// lets the informers of a factory run, each of which runs once however often Start is called.
//
// # per-event
//
// An event handler, predicate or map function starts a goroutine for each event. Handlers should do nothing but put a
// key into a workqueue: it holds each key once, however often it is added.
//
//	AddFunc: func(obj any) {
//		go c.process(obj.(*v1.Backup)) // bad
//	}
//
//	AddFunc: func(obj any) {
//		if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
//			c.queue.Add(key) // good
//		}
//	}
//
// A watch.Interface whose ResultChan starts a goroutine that Stop does not end is reported here as well: reflectors
// re-establish their watches forever.
//
// # per-reconcile
//
// A reconciler, or the worker of a workqueue, starts a goroutine for each item. If the work takes long, split it into
// steps and requeue; if it must run in the background, keep it in a map by the object's key, look there first, and
// stop it when the object goes.
//
// If the goroutine creates, changes or deletes an object, and its error goes into a log or an event, the object stays as it is
// when the API server is away for a moment: the reconcile, or the handler, has returned, and the key is not added again.
//
//	go func() { // bad
//		if err := r.Delete(ctx, pod); err != nil {
//			log.Error(err, "could not delete the pod")
//		}
//	}()
//
//	if err := r.Delete(ctx, pod); err != nil { // good: tried again, with a backoff
//		return ctrl.Result{}, err
//	}
//
// That is not said of a goroutine that tries again, adds the key to a queue, hands the error on, waits for something first, or
// writes what is made up for before long, such as events and leases; nor where the reconcile asks to be run again.
//
// Nor is the result of such a goroutine there yet: a variable that it sets, and its starter reads without waiting, is empty, and
// both race for it. They race for an object, too, that the goroutine writes and its starter goes on to change: hand it a copy that
// nobody else has, or write it inline.
//
//	var errs []error
//	for _, pod := range pods {
//		go func() { // bad: use an errgroup, and Wait
//			if err := r.Delete(ctx, pod); err != nil {
//				errs = append(errs, err)
//			}
//		}()
//	}
//	return ctrl.Result{}, errors.Join(errs...)
//
// A result that is sent to a channel without room is reported as well if the caller may give up waiting for it: the
// goroutine then hangs in the send forever, also when its context has ended. That harm is ctxdone/blocking-send's, which
// reports it at the send.
//
//	result := make(chan error) // bad: make(chan error, 1)
//	go func() { result <- probe(ctx) }()
//	select {
//	case err := <-result:
//		return ctrl.Result{}, err
//	case <-ctx.Done():
//		return ctrl.Result{}, ctx.Err()
//	}
//
// # endless
//
// The goroutine that is started each time never ends by itself: a ticker loop, wait.Until, a loop that is left only
// when a channel is closed or a context cancelled that lives as long as the process. This is the worst: memory grows
// with each event and each resync until the process is killed. The context of a reconcile does not help, for it is not
// cancelled when Reconcile returns.
//
// A goroutine that reads an object again and again until that succeeds, under no context that ends, stays forever once the
// object is deleted: end it on NotFound, or give it a deadline.
//
// # captured-object
//
// The goroutine also holds the object that the call is about. The object, which may be the informer cache's own, stays
// in memory as long as the goroutine runs, and is read and changed by the goroutine and the reconciler at the same
// time. What Reconcile has read by a client is its own copy: the goroutine may have it if Reconcile only returns. Pass a key and read the object anew, or pass a deep copy, and leave
// that to it.
//
// # Limits
//
// Calls through interfaces are followed if the interface is the module's own and has one implementation in its
// package; if it has several there, only goroutines without end count. A goroutine counts as bounded where this cannot be told: for example, when what stops it is kept in a field
// or handed out. Admission and HTTP handlers are not looked at.
//
// # Options
//
// -tests and -generated report findings in _test.go files and in generated files, too. To silence a finding, write
// //nolint:handlergoroutine or //lint:ignore handlergoroutine reason on its line or on the line above.
package handlergoroutine

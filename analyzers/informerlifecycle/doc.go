// Package informerlifecycle finds informers and factories that are started too often, too early, or forever.
//
// An informer is a watch at the API server, a copy of all objects that it brings, and a few goroutines for itself and for
// each of its handlers. It is made once, started once when all has been requested and registered, and ends with the
// channel or context that it was started with; nothing else stops it. Code that does this in the wrong place works in
// tests, with one object and for a minute. In production the caches pile up until memory runs out, each event is
// handled once more than before, or a cache stays empty and the controller thinks that the cluster is.
//
// Calls are told by types and signatures: client-go's informers, reflectors and factories of all generations, generated
// factories of any project, dynamic and metadata factories, wrappers, and controller-runtime's caches and clusters.
//
// # never-stopped
//
// An informer or factory that is started outside main with something that never ends: wait.NeverStop, nil, a channel that
// nobody closes, context.Background().
//
//	func waitForPod(client kubernetes.Interface, name string) {
//		factory := informers.NewSharedInformerFactory(client, time.Second)
//		...
//		factory.Start(wait.NeverStop) // bad: goes on when the function has returned
//		<-running
//	}
//
// The watch, the goroutines and the cache stay until the process ends, and each call adds to them. Take a context or a stop
// channel from the caller, or close a channel of your own:
//
//	stop := make(chan struct{})
//	defer close(stop)
//	factory.Start(stop) // good
//
// It is a leak if the function is seen to be called again and again, or its type has a method that stops things and not this, and hygiene otherwise.
//
// What a process does once is right: package main, commands, functions that ask for signals, that get a manager, or that go on
// until the process ends, hooks of an API server, and what only these call. So are factories over a fake client, and
// channels that are kept or handed out, since somebody else may close them. Constructors, methods of what has no Stop,
// and functions that are kept in a map or list and not called by name are reported with -strict unless they are seen to be called
// again and again: a process may well do it once. Methods of an unexported type that only tests make are not reported. Where a context
// or stop channel is at hand that could be passed instead, ctxdone reports it (stop-dropped).
//
// # handler-per-event
//
// AddEventHandler in what is called again and again: a reconciler, an event handler, a worker, a request, wait.Until, a loop.
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		informer, err := r.cache.GetInformer(ctx, &corev1.Pod{})
//		...
//		informer.AddEventHandler(r.handler) // bad: one more for each reconcile
//
// Informers do not compare handlers. With each call there is one more, with a goroutine and a buffer of its own, and every event
// is handled once more. Add handlers where the informer is set up, or guard them:
//
//	r.once.Do(func() { informer.AddEventHandler(r.handler) }) // good
//
// Guards are a sync.Once, flags, nil checks and maps that are looked up before and written after, and test-and-set. A
// registration that is kept counts as removed later (RemoveEventHandler). A loop or poller that goes on until the handler has been
// added, a loop over a list, and a handler of an informer that is made in the same place are right. What a reconcile does only where a call
// has failed, or as long as a field of the object has a certain value which the package changes, is not done each time, and is reported with
// -strict.
//
// # restarted
//
// An informer or factory that is made and run in what is called again and again, and goes on when that is over: per event, item
// or request, in each round of wait.Until or of a loop, for each attempt.
//
//	for {
//		informer := cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, nil)
//		go informer.Run(stop) // bad: the informer that has not synced goes on
//		if cache.WaitForCacheSync(timeout, informer.HasSynced) {
//			return informer
//		}
//	}
//
// Each of them opens a further watch and fills a further cache. Start the informer once and keep it. If it is for the call or
// attempt only, end it there:
//
//	ctx, cancel := context.WithCancel(ctx)
//	defer cancel() // good
//
// The same happens where a start is guarded, and the guard is not set on all ways out:
//
//	if !r.started {
//		go informer.Run(r.ctx.Done())
//		if !cache.WaitForCacheSync(timeout.Done(), informer.HasSynced) {
//			return errNotSynced // bad: the informer runs, and the next call starts another one
//		}
//		r.started = true
//	}
//
// Right are a factory that is started again for what was requested late, since Start starts only what is new; an informer that is
// stopped before the next one is started, or whose channel or cancel function is kept, in a map for instance; the context of a request;
// and the Run of a component that is restarted when it has returned. A goroutine in a handler or reconciler that runs an informer
// is reported by handlergoroutine, and a factory that is made of the same client for each event or request by reconcileclient.
//
// # after-start
//
// A factory starts the informers that were requested before its Start: by Informer(), Lister(), ForResource or InformerFor.
// One that is requested later never runs. Its lister finds nothing, its handlers are not called, and WaitForCacheSync
// with its HasSynced waits forever.
//
//	factory.Start(stop)
//	factory.WaitForCacheSync(stop)
//	pods := factory.Core().V1().Pods().Lister() // bad: request it before, or call Start again
//
// The accessor alone (factory.Core().V1().Pods()) requests nothing. Reported are factories that are made in the package and of which
// all uses are seen, if Start and the request are in one function. Nothing is said where the same informer was requested
// before, where a Start may follow, and where the informer is run by itself.
//
// # never-started
//
// A lister or store of a factory that nobody starts is read:
//
//	factory := informers.NewSharedInformerFactory(client, 0)
//	return factory.Core().V1().Nodes().Lister().Get(name) // bad: not found, whatever the cluster has
//
// Who waits for such an informer waits in vain, which cachesync reports (not-started).
//
// # no-shutdown
//
// With -strict: a function starts a factory, goes on until it is told to stop, and returns without waiting for the informers,
// whose handlers may still be called then. Shutdown of the factory (since client-go 0.26) waits for them. Nothing is said in packages that
// call it.
//
// # Limits
//
// A factory or informer that is kept in a field is followed no further: another method may stop it. Stop channels that are handed to
// methods of other types, or to other packages, are taken to end.
//
// # Options
//
// -strict reports doubtful variants, as said above. -tests and -generated report findings in _test.go files and in generated files, too. To silence
// a finding, write //nolint:informerlifecycle or //lint:ignore informerlifecycle reason on its line or on the line above.
package informerlifecycle

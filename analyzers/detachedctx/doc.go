// Package detachedctx finds calls that run under context.Background or TODO although the caller's context is in reach.
//
// A context is how a caller takes back what it has asked for: the manager cancels Reconcile's when the operator stops
// or loses the lead, the API server gives up on an admission request after its timeout, an HTTP client goes away. A
// call that is made under context.Background() or context.TODO() hears nothing of it.
//
// What comes of that depends on what the call waits for, and on who is waiting:
//
//   - A read of a manager's client is answered by its cache, and a single write of a reconcile ends soon; the context of
//     Reconcile has no deadline. That is hygiene: true, and nothing happens today.
//   - Polls for a state, waits for caches, watches, logs that are followed, commands in containers, and HTTP requests whose client is seen to have no timeout
//     may never end: the worker is stuck, and so is the shutdown.
//   - Other services (a cloud, a database) hold up who has a deadline: a request, or a context with a timeout. Where a reconcile waits for them it is hygiene: its context ends at
//     shutdown only, and such a client mostly gives up by itself (of 10 such findings that were judged, 5 were wanted, and 3 wrong; of those with a deadline, and of
//     commands in containers, 12 of 14), unless a loop makes the call until it gets what it wants.
//   - A webhook, or a method of a gRPC server, that goes on with writes and retries when its request has timed out is
//     stuck for the next one, and writes what nobody waits for; so is an HTTP handler whose own package writes.
//   - A context that was given a timeout, and a call that ignores it: the limit does not hold.
//   - Work that goes on when the lead is lost makes two leaders: writes are lost.
//
// A made-up context with a timeout of its own ends by itself: hygiene, unless a webhook waits for it and it is longer
// than 30 s, the API server's patience. So is a poll that tries until its write has no conflict. What cannot be told, such
// as a method of an interface that several types implement, counts as harmless.
//
// There is one finding for one cause, with all calls below it as related places: the function that drops its context
// parameter, the first function on the way that takes none, the type if three methods or more of it take none. The
// message names the worst of the calls. A comment that silences the finding silences all of them; one at a single call
// takes that out.
//
// The analyzer looks at calls that talk to somebody or wait: clients of Kubernetes, SDKs, databases, requests, and
// functions of the module that pass their context parameter on to such calls. It follows the context back through
// variables, derived contexts and helpers, and looks for a live one: a context parameter, also an unnamed one, of the
// function or one around it; the context of an HTTP request or gRPC stream; a context in a struct that is at hand.
//
// Bad:
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		var backup v1.Backup
//		if err := r.Get(context.TODO(), req.NamespacedName, &backup); err != nil {
//
// Good:
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		var backup v1.Backup
//		if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
//
// A call that must go on when its caller has given up is right to be detached, and context.WithoutCancel(ctx) says so
// and keeps the values. Nor is a finding:
//
//   - clean-up, be it deferred, after ctx.Done() or ctx.Err(), after a cancel function was called, in a method such as
//     Stop or Close, or taking something back when a call has failed;
//   - a default for a nil context;
//   - a goroutine that nothing waits for, and work that is shared with other callers (sync.Once, singleflight);
//   - a context that takes over what a live one carries, such as its logger, or whose cancel function is kept, so that
//     something else ends it, or that is watched beside a live one's Done;
//   - set-up code: main, init, commands, functions that get a manager, constructors of a scheduler's plugins, what a component
//     does before it settles down or works off its queue, and the callback in which such code goes on once it has the lead;
//   - packages of command-line programs, told by libraries for commands, screens and tables, which end with what they were
//     asked for;
//   - where nobody can cancel the context at hand either: all callers that are known make it up, or the poller that calls back
//     runs under a made-up one; or the connection of the request was taken over, as for a websocket;
//   - metrics, logging, indexes; and functions of a logger's form, which take a format and arguments and answer nothing;
//   - a context parameter of a function that is not exported, if all its callers make one up and have no other;
//   - functions whose signature has no context and whose callers have none, such as collectors, and the functions of a ListWatch;
//   - the old form of a function that has got a context, which does nothing but call the new one.
//
// An *http.Request that the program sends (to Client.Do, a RoundTripper, or as its caller has made it) is not one that it
// serves: its context comes from whoever made it.
//
// A comment that gives the reason silences a finding: on the line, or directly above the line or its statement, and
// about contexts, cancelling, detaching, interrupting or shutting down. A comment that only begins with TODO or FIXME
// is no reason.
//
//	// detached: the key must be rotated as a whole, also when the operator stops
//	err := r.rotate(context.Background(), secret)
//
// # ctx-ignored
//
// The function has a live context and does not use it for these calls. The fix writes it there, in all of them; where
// the error of the worst call is not read there is no fix, since the call may fail at shutdown then and nobody will know.
//
//	func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
//		list, err := h.pods.List(context.Background(), metav1.ListOptions{}) // bad: r.Context()
//
// # ctx-blank
//
// The context parameter has no name. The finding is at the parameter, and counts what the functions below do for want of
// it. The fix names it and passes it, if all calls are in the function itself.
//
//	func (r *Reconciler) Reconcile(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
//		err := r.Get(context.TODO(), req.NamespacedName, &backup) // bad
//
// # field-ignored
//
// A struct that is at hand, the receiver or a parameter, carries a context which somebody may cancel. Contexts with a
// time limit of their own, and unexported ones of other structs, are not taken for it. Such a context ends with the
// process, as a rule.
//
//	func (p *provisioner) deleteBucket(name string) error {
//		_, err := p.s3.DeleteBucket(context.TODO(), name) // bad: p.ctx
//
// # helper
//
// A function without a context makes one up, and a function that calls it, directly or through others without a
// context, has a live one. The finding is at the first of them that takes no context, or at its type if three methods or
// more take none; if that is in another package, at the call, with the place of the made-up context in the message. The
// remedy is a context parameter all the way.
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		...
//		return ctrl.Result{}, r.updateStatus(&backup)
//	}
//
//	func (r *Reconciler) updateStatus(backup *v1.Backup) error {
//		return r.Status().Update(context.Background(), backup) // bad: give updateStatus a ctx
//	}
//
// # launders
//
// A helper takes a context, does not use it, and returns context.Background() or TODO(): each of its callers looks as
// if it passed its context on. It is reported once, at the helper, with the harm of the worst call under its result.
//
//	func apiCtx(ctx context.Context) context.Context {
//		return context.Background() // bad
//	}
//
// # lead
//
// The callback OnStartedLeading gets a context that ends with the lead. Work under the context of the process, or a
// made-up one, goes on when another replica leads: two of them write. It is reported if the program is seen to go on, too:
// OnStoppedLeading ends and cancels nothing, and the election runs in a goroutine or a loop; or what it ends and cancels
// comes after a request without a timeout. The lead is mostly lost because the API server does not answer.
//
//	config.Callbacks = leaderelection.LeaderCallbacks{
//		OnStartedLeading: func(context.Context) { o.run(ctx) }, // bad: pass the context that it gets
//		OnStoppedLeading: func() { klog.Info("no leader any more") },
//	}
//	go leaderelection.RunOrDie(ctx, config)
//
// # Limits
//
// Callers are followed within a package, up to six calls, and into functions of other packages of the module, through
// at most two more; not through workqueues and event handlers, whose functions nobody hands a context. Calls through
// interfaces are followed if the interface is the package's own and has one implementation in it; what a method of
// another one does is known if a single implementation lies in an imported package. Pollers, informers
// and what else runs until it is stopped are a subject of ctxdone. A context in a package-level variable is not
// followed. Packages that
// import nothing of Kubernetes are not looked into, nor are those that serve tests.
//
// Other methods of the module's interfaces that take a context and return an error count as calls that talk to
// somebody if they have a client's form, or if an implementation that waits lies in a package that is imported.
// Where nothing tells, the one in use may well ignore its context: if one is at hand, passing it costs nothing and is
// asked for all the same; a helper that would need a context parameter is reported with the strict flag only. With the
// whole module, opvet itself looks at all that is behind the interface: if each waits for another service, there is harm
// in both. Where all callers in the module make the context up that is at hand, there is none. With the strict flag only is
// what a method does that implements an interface of the module's from another package, and is called by nobody here:
// its context is whatever the interface's callers hand it. Methods of gRPC servers have a live one.
//
// # Options
//
// -strict reports doubtful variants, as said above. -tests and -generated report findings in _test.go files and in
// generated files, too. To silence a finding, give the reason in a comment, as above, or write //nolint:detachedctx or
// //lint:ignore detachedctx reason on its line or on the line above. //nolint:contextcheck is honoured, too.
package detachedctx

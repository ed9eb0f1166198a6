// Package reconcileclient finds clients, caches and transports that are built for
// each event or request, and requests that may never end.
//
// A reconciler runs thousands of times an hour. A client that it builds each time works
// in tests, and does in production what nobody has asked for:
//
//   - its rate limiter is its own: QPS and Burst of the configuration hold for each
//     of them and so for none, and a loop that fails hits the API server as hard as it can;
//   - a client of controller-runtime and a RESTMapper first ask the API server which
//     resources it has: several requests in front of each read;
//   - an informer factory, a cache or a manager lists and keeps all objects once more.
//
// client-go shares connections between clients whose configurations are equal, also if
// the clients are built anew; with a dialer or a proxy function in the configuration it cannot, and each
// client leaves its connections behind: a leak, where the others are load.
//
// What counts is code that informers, controller-runtime, workqueues, webhooks and servers (HTTP
// and gRPC) call for each event, request or item, directly or through functions of any package
// of the module, if what the client is built of is the same each time: fields of the reconciler, variables, the
// configuration in the cluster, copies of these.
//
// Right, and not reported, are clients for what differs from call to call: another
// cluster whose kubeconfig is read from a Secret, a user whose token or name came with the
// request, an object's own credentials. So are clients that are built if there is none
// yet (a field that is nil, an entry that a map lacks, a sync.Once) or are put into a
// field, a map or a cache; what a gRPC call has that sends a stream, for as long as that
// lasts; set-up code; commands; fake clients and tests, and types that nothing in the
// package makes but tests. What cannot be told counts as right.
//
// What is behind a failure, or behind a question for the object's deletion, happens
// now and then, and is hygiene.
//
// # client
//
//	func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
//		kube, err := kubernetes.NewForConfig(r.Config) // bad
//		...
//	}
//
// Build it where the reconciler is set up, and hand it over in a field:
//
//	kube, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
//	...
//	err = (&Reconciler{Client: mgr.GetClient(), Kube: kube}).SetupWithManager(mgr)
//
// Clientsets of all projects count, clients of one group, REST, dynamic, metadata and
// discovery clients, RESTMappers and the clients of controller-runtime, told by their
// signature: a *rest.Config in, a client out. If a helper of another package builds the
// client, the finding is at the call in the package that has the entry point.
//
// # factory
//
// A manager, cache or informer factory is made for each event or request, of clients and
// configurations that are the same each time. Unless it is stopped it goes on
// forever, with watches and all objects in memory; if it is, it has listed them all for one
// answer. Read from the cache that the operator has.
//
// # transport
//
// An http.Client gets a new http.Transport each time. A transport keeps connections open for
// the next request; in the zero value forever. There is no next request, so that each
// call leaves a connection and two goroutines behind, until the other side closes it.
//
//	client := &http.Client{Transport: &http.Transport{TLSClientConfig: r.tls}} // bad
//
// Make it once. Where certificates differ from object to object, keep a client for each, or set
// IdleConnTimeout, or DisableKeepAlives, or call CloseIdleConnections: these are not
// reported. A client without a transport of its own shares http.DefaultTransport and is right.
// Where all answers are closed unread, and the transport does not offer HTTP/2, net/http closes the
// connections itself. All of it is hygiene: of eleven found in operators four were wanted, since most
// servers close what is idle for half a minute.
//
// # pooled
//
// A clientset in a sync.Pool. The garbage collector empties pools when it likes, so
// that clients are built again and again, and what one user has changed of a client the
// next one finds. Clients are safe for concurrent use: one is enough.
//
// # no-timeout
//
// A reconciler, worker or handler of events sends an HTTP request by http.Get or a client without a
// timeout, and the request has no context or the reconciler's, which ends with the process only. If the
// other side accepts the connection and does not respond, the worker waits forever; once each
// has met it, the controller does nothing any more and says nothing.
//
//	resp, err := http.Get(url) // bad
//
//	client := &http.Client{Timeout: 10 * time.Second} // good
//
// Reported are the default client and those that a package is seen to make without a
// timeout. Where a function of another package of the module sends the request, the finding
// is at the call of it; so it is for a method of an interface, if only one type of the packages
// that are imported implements it. A request for objects of one type, in a case of a switch over the types, is none
// where an object of another type is handed over. Packages that use nothing of Kubernetes are not looked into. HTTP and admission handlers are the business of ctxdone, contexts that
// nothing cancels that of detachedctx.
package reconcileclient

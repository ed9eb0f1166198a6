// Package restconfig finds changes of a rest.Config that others have.
//
// A *rest.Config is a pointer. It is in a field, goes from the main function to
// each controller, and a manager gives the one that it was made with to everybody who
// calls GetConfig. Clients copy what they need when they are built: a
// change does nothing to those that exist, and everything to those that come later.
// Who sets a token, a user to act as, an encoding or an API group for one client of
// theirs sets it for all that are built from then on, and which these are depends on
// the order in which the operator starts. In a reconciler or a webhook it is a race
// besides: one worker builds a client while another one's token is in the configuration.
//
// How much that matters depends on what is changed. Another user, server or transport
// means wrong requests (loss); another timeout is load. Another rate limit or name
// (UserAgent) is hygiene, and so are API group and encoding: most constructors set them,
// and of the others the first request fails.
//
// # shared
//
// A configuration that others have is changed in place: the one of a manager or
// cluster, one in a field or variable that a reconciler, handler or webhook
// changes each time, and one that a method changes for a client of its own while
// other functions use it as it was.
//
//	func (r *Reconciler) clientFor(token string) (kubernetes.Interface, error) {
//		r.config.BearerToken = token // bad
//		return kubernetes.NewForConfig(r.config)
//	}
//
//	config := rest.CopyConfig(r.config) // good
//	config.BearerToken = token
//
// The fix has the variable hold a copy of the manager's configuration.
//
// # handed-over
//
// A function puts its configuration into a field or variable, or gives it to a
// manager, builds a client of it, and goes on to change it for the next one.
//
//	config.QPS = 50
//	options.Config = config
//	dynamicClient, err := dynamic.NewForConfig(config)
//	...
//	config.ContentType = runtime.ContentTypeProtobuf // bad: options.Config speaks protobuf, too
//	kube, err := kubernetes.NewForConfig(config)
//
// As long as nobody else has it, a configuration may be changed between one client and
// the next.
//
// # helper
//
// A function is handed a configuration that others have and changes it, in this
// package or another one of the module; rest.AddUserAgent does so too, but counts as
// the change itself. A helper that changes what it is handed is not wrong: setting defaults, wrapping a
// transport and configuring may be all that it is for. Who hands it a shared one is.
//
// # What is right
//
// A configuration that the function has just got from rest.InClusterConfig,
// clientcmd, controller-runtime's GetConfig or a literal is its own until it hands it on.
// Copies are right, and so are options and builders. A parameter counts as shared only if it is
// known who passes it: all callers in the package, and functions of other packages of the
// module. What is done once, behind a question whether it was done, is not looked at. Rates, time-outs and
// names (QPS, Burst, Timeout, UserAgent) are reported where the
// configuration is a manager's or is changed while the operator runs, elsewhere with
// strict only: they are mostly set for all. So are APIPath, GroupVersion and NegotiatedSerializer where the operator
// does not run yet: all constructors of clients but rest.RESTClientFor set them on a copy of their own.
package restconfig

// Package resync finds informers that hand out all their objects again every few
// seconds.
//
// The resync period of an informer has nothing to do with the API server: the
// informer calls its update handlers with each object that it has in its cache, so
// that all keys go through the workqueue again although nothing has changed. With
// 30 seconds and ten thousand pods that is 333 reconciles a second, forever, in
// each controller that shares the informer, and each of them may read or write
// through the API server. Queues do not drain between two resyncs any more, and
// what has really changed waits behind what has not. The informers find lost
// watch connections by themselves and list again; a resync does not help there.
//
// # too-often
//
// A factory of informers, a shared informer, or the cache of controller-runtime
// gets a resync period under a minute (the flag min):
//
//	factory := informers.NewSharedInformerFactory(client, 30*time.Second)
//
// Leave it to the watch:
//
//	factory := informers.NewSharedInformerFactory(client, 0)
//
// If one controller has to look at its objects regularly, for example since it
// polls something outside the cluster, give that handler a period of its own,
// which does not concern the others:
//
//	informer.AddEventHandlerWithResyncPeriod(handler, 30*time.Second)
//
// or return RequeueAfter for the objects that need it.
//
// The period is followed through constants, variables and fields that are set
// to one value only, and parameters, also of functions in other packages of the
// module. Periods that are not known are not reported, for example those of
// flags, whatever their default. Nor are informers with a field selector, which
// have one object or a few, and those of a fake clientset.
//
// With the strict flag, informers that may have few objects are reported, too:
// those with a label selector, in one certain namespace, or with a list that
// cannot be seen; and informers that are not shared, such as those of
// cache.NewInformer, whose period is that of their only handler.
//
// The harm is hygiene: of eight findings at first contact, two were wanted. Mostly the handlers drop what has not changed, or
// only keep it in memory, or the period is the controller's clock.
//
// # Options
//
// min is the shortest resync period that is not reported; it is a minute if the
// flag is not set.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:resync // reason. Please report it, too.
package resync

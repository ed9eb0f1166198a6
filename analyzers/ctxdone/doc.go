// Package ctxdone finds code that goes on when its context has ended.
//
// A manager that shuts down, or loses its leadership, cancels the contexts of what it runs and waits for it; an API server or a
// client that has given up cancels the context of its request. Code that does not listen goes on: shutdown hangs until the
// process is killed, a replica that is no longer the leader keeps writing, requests that nobody waits for pile up, and
// one dead dependency holds all the workers of a controller.
//
// # endless-loop
//
// TEXT.
//
// # sleep
//
// TEXT.
//
// # blocking-send
//
// A send to a channel without room waits for a receiver. If the receiver has gone, since its context has ended, its time was
// up or something has failed, the send waits for ever: the goroutine stays in memory with all that it holds, the
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
// does not reach; a receive from a channel whose only sender may end without a word; and a range over a channel that
// is not closed on all ways.
//
// The channel has to be made in the package, and all that is done with it has to be seen: one that is kept in a map, an
// exported field or an interface, or handed to code that is not known, is not looked at. A receiver that takes what is
// left, a sender that has room for every value, one that tells the receiver when it has sent all, semaphores and
// worker pools that end with the channel are right. A goroutine that a handler or reconciler starts and that hangs in
// its send is reported by handlergoroutine. What happens once, when the process ends (in main, in a command, in a
// Runnable), is reported with -strict only.
//
// # stop-dropped
//
// TEXT.
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
// Reconcile returns. It is reported where it is opened again and again: in a loop, or for each event or item; elsewhere
// with -strict only.
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
// A watch that is handed out or kept is for others to stop. A context of the function's own that is cancelled when it
// returns, or that of a request, ends the watch as well.
//
// # http
//
// TEXT.
//
// # exec
//
// TEXT.
package ctxdone

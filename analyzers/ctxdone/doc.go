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
// TEXT.
//
// # stop-dropped
//
// TEXT.
//
// # watch
//
// TEXT.
//
// # http
//
// TEXT.
//
// # exec
//
// TEXT.
package ctxdone

// Package reach measures what indirection hides: it takes the cases of the
// analyzers, hides each mistake in them by machine, and asks which are still
// found.
//
// A mistake is a finding of the case as it stands, on a line that wants one.
// What it is about (a call, an assignment, a go statement, a loop) moves behind
// each of the [Forms]: into a helper, into another package, behind an interface,
// into a closure, and so on. The same is done to right code that resembles the
// mistakes, and nothing may be reported there. Each changed package must compile,
// all but imports that it no longer uses.
//
// What cannot be moved is left out: a statement that returns from its function,
// types that another package cannot name. So the numbers of mistakes differ from
// form to form.
package reach

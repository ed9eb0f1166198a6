// Package soak runs the whole suite over code that was not written with it in
// mind: the standard library, the Kubernetes modules, and what type checkers and
// the builder of the SSA form are tested with, to see that nothing panics,
// fails or hangs. It has tests only.
package soak

// Package soak runs the whole suite over code that was not written with it in
// mind, the standard library and the Kubernetes modules, to see that nothing
// panics, fails or hangs. It has tests only.
package soak

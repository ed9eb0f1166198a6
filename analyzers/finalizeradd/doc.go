// Package finalizeradd finds finalizers that are added too late, in vain, or
// under a bad name.
//
// A finalizer.
package finalizeradd

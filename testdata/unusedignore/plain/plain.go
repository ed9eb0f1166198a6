// Package plain has nothing to do with Kubernetes.
package plain

var one = 1 //nolint:statusupdate // want `statusupdate finds nothing here`

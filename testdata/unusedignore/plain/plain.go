// Package plain has nothing to do with Kubernetes.
package plain

var one = 1 //nolint:statusupdate // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused`

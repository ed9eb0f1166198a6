// Package cluster has tests only: they run operators against a real API server with
// exactly the roles that opvet rbac prints, and with one permission less each
// time.
//
// kube-apiserver and etcd are built from their modules, the operators, too.
// It is a module of its own for their requirements; make test-cluster runs it.
package cluster

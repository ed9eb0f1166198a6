// Package kubeapi is the suite's knowledge of the Kubernetes Go ecosystem:
// which types and functions there are and what they mean, told by types and
// signatures. It has tables and predicates, and no state; adding a library is
// adding rows. Analyzers never compare names of variables, receivers or files:
// they ask here.
package kubeapi

// Package driver is the opvet command: it loads packages, runs the analyzers
// over them so that facts flow from a package to those that import it, and
// prints the findings. It also speaks the protocol of go vet -vettool.
package driver

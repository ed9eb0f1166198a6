// Package nogo tests that the suite works in Bazel's nogo. Bazel itself is
// not needed: the tests do what the program does that rules_go generates (as of
// v0.62.0, go/tools/builders/nogo_main.go), one package at a time, with facts
// and types of the others from files.
package nogo

// Package fuzz runs the suite over programs that nobody has written: the cases
// of all analyzers, changed at random in ways that still compile. Nothing may
// panic, fail or hang, and one program has one answer, however often and in
// however many goroutines it is asked for. It has tests only.
//
// A program that has failed is kept in testdata, reduced and in a shape of its
// own, as a txtar archive whose files are named as they would be in the
// module under testdata. Each test run analyses these as they are, and the
// fuzzer goes on from them.
package fuzz

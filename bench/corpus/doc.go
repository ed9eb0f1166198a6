// Corpus measures opvet's accuracy over judged cases: places in public
// operators that were read closely and found to be a mistake ("bug") or to
// look like one and be right ("ok").
//
// Usage:
//
//	go run ./bench/corpus -cases FILE -repos DIR [flags]
//
// It checks out each judged commit from the local clones under DIR, runs
// opvet over the Go module that the case lies in, and prints for each category
// of cases, and each analyzer that serves it, the bugs found, the traps
// reported, and each miss with the reason that the case gives. README.md in
// this directory says what the cases are and how a finding is matched to one.
//
// Checkouts, the state of their dependencies, and results are kept in the
// -work directory, so that an unchanged opvet re-runs only what is new.
package main

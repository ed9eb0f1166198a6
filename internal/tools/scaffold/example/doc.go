// Package example is the analyzer of docs/new-analyzer.md: it asks what a value is made of, keeps
// a fact on functions, and has an excuse. It is no rule of the suite.
//
// A poll whose interval is zero asks the API server at full speed.
//
// # no-pause
//
// Give it an interval:
//
//	wait.PollUntilContextCancel(ctx, time.Second, true, ready)
package example

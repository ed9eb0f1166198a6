// Package api has the names that the program's packages share.
package api

const (
	Forgotten = "example.opvet.dev/app-forgotten"
	Removed   = "example.opvet.dev/app-removed"
)

// Package plugin makes the suite a linter of golangci-lint: importing it
// registers the module plugin "opvet". See docs/golangci-lint.md for its use.
package plugin

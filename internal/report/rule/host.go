package rule

import (
	"sync/atomic"

	"github.com/opvet/opvet/internal/report/suppress"
)

// golangciLint is set while golangci-lint runs the analyzers.
var golangciLint bool

// LeaveNolintToHost makes all analyzers behave as golangci-lint needs it. It is
// called once, by the plugin, before anything is analysed.
//
// Golangci-lint knows the suite as one linter and filters what //nolint and
// //nolint:opvet silence itself; its linter nolintlint reports those of them
// that silence nothing, so that nothing may be filtered before. And of the
// related places of a finding it would make findings of their own.
func LeaveNolintToHost() { golangciLint = true }

// LeftToHost reports whether a suppression comment is for the host of the
// analyzers to judge: the name in it, or all of it if that is nil.
func LeftToHost(d *suppress.Directive, name *suppress.Name) bool {
	return golangciLint && d.Form == suppress.Nolint && (name == nil || name.IsSuite())
}

// wholeProgram is set while the standalone driver runs the analyzers, which has all
// packages of the program in hand.
var wholeProgram atomic.Bool

// HasWholeProgram tells the analyzers that the driver takes findings in other packages
// than the one under analysis, see [Reporter.Elsewhere]. The standalone driver calls it.
func HasWholeProgram() { wholeProgram.Store(true) }

// KnowsWholeProgram reports whether the driver has all packages of the program in hand, as
// the standalone one has.
func KnowsWholeProgram() bool { return wholeProgram.Load() }

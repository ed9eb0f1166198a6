// Package subject has what all questions of the rule are about: one package under analysis, how
// often its functions run, and how its code calls what is at hand.
package subject

import (
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/report/rule"
)

// Unit is one package under analysis.
type Unit struct {
	Pass     *analysis.Pass
	Report   *rule.Reporter
	Graph    *calls.Graph
	Entries  *entrypoints.Result
	Contexts *contexts.Sources
	Detached *detachedcalls.Calls
	Starts   *goroutines.Starts

	// endless are the loops that were reported: a pause in one of them is the
	// same mistake.
	Endless []*loops.Loop
}

// InEndlessLoop reports whether an instruction is in a loop that was reported.
func (u *Unit) InEndlessLoop(at ssa.Instruction) bool {
	return slices.ContainsFunc(u.Endless, func(l *loops.Loop) bool { return l.Blocks[at.Block()] })
}

// EndsSoon reports whether the package seems to be a part of a command-line program: what
// it leaves behind ends with the process.
func (u *Unit) EndsSoon() bool { return kubeapi.IsCommandLine(u.Pass) && !u.Report.Strict() }

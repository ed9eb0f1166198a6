package ctxdone

import (
	_ "embed"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/drops"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var docSource string

// Analyzer reports code that goes on when its context has ended.
var Analyzer = rule.New(rule.Spec{
	Name:      "ctxdone",
	Summary:   "find loops, waits and handlers that outlive their context",
	DocSource: docSource,
	Group:     "context",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: "endless-loop", Summary: "a loop that nothing ends when the context or stop channel at hand does", Harm: rule.Stuck, EndsWithProcess: true},
		{Name: "sleep", Summary: "a sleep that does not listen to the context, or holds a worker", Harm: rule.Load, EndsWithProcess: true, Fix: true},
		{Name: "blocking-send", Summary: "a send or receive whose peer may be gone", Harm: rule.Leak, EndsWithProcess: true, Repeats: true},
		{Name: "stop-dropped", Summary: "something that never stops is passed on instead of the context or stop channel at hand", Harm: rule.Leak, EndsWithProcess: true, Fix: true},
		{Name: "watch", Summary: "a watch that outlives its context or is never stopped", Harm: rule.Leak, EndsWithProcess: true},
		{Name: "http", Summary: "an HTTP or admission handler whose slow work ignores the request's context", Harm: rule.Stuck, EndsWithProcess: true, Fix: true},
		{Name: "exec", Summary: "a process that is not killed when the context ends", Harm: rule.Leak, EndsWithProcess: true, Fix: true},
	},
	Strict:      true,
	Requires:    []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, contexts.Analyzer, channels.Analyzer, goroutines.Analyzer, waits.Analyzer, detachedcalls.Analyzer, drops.Analyzer},
	ProductOnly: true,
	Run:         run,
})

// ending report what the end of the process ends as well.
var ending = []func(*unit){blockingSend, endlessLoop}

// checks report the other findings. Sleeps come after the loops, see unit.endless.
var checks = []func(*unit){
	watches,
	checkSleeps,
	checkDroppedStops,
	checkProcesses,
	checkRequests,
}

// unit is one package under analysis.
type unit struct {
	pass     *analysis.Pass
	report   *rule.Reporter
	graph    *calls.Graph
	entries  *entrypoints.Result
	contexts *contexts.Sources
	detached *detachedcalls.Calls

	// endless are the loops that were reported: a pause in one of them is the
	// same mistake.
	endless []*loops.Loop
}

// inEndlessLoop reports whether an instruction is in a loop that was reported.
func (u *unit) inEndlessLoop(at ssa.Instruction) bool {
	return slices.ContainsFunc(u.endless, func(l *loops.Loop) bool { return l.Blocks[at.Block()] })
}

// endsSoon reports whether the package seems to be a part of a command-line program: what
// it leaves behind ends with the process.
func (u *unit) endsSoon() bool { return kubeapi.IsCommandLine(u.pass) && !u.report.Strict() }

func run(pass *analysis.Pass, report *rule.Reporter) error {
	u := &unit{
		pass: pass, report: report,
		graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		entries:  pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		detached: pass.ResultOf[detachedcalls.Analyzer].(*detachedcalls.Calls),
	}
	if u.graph.Pkg == nil {
		return nil
	}
	for _, check := range ending {
		if u.endsSoon() {
			report.IfServed(func() { check(u) })
			u.endless = nil // nobody knows whether they are reported
		} else {
			check(u)
		}
	}
	for _, check := range checks {
		check(u)
	}
	return nil
}

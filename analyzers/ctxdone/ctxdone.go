package ctxdone

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/blockedsends"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/drops"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/endlessloops"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/openwatches"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/sleeps"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/calls"
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
		{Name: "endless-loop", Summary: "a loop that nothing ends when the context or stop channel at hand does", Harm: rule.Stuck, EndsWithProcess: true, Repeats: true},
		{Name: "sleep", Summary: "a sleep that does not listen to the context, or holds a worker", Harm: rule.Stuck, EndsWithProcess: true, Fix: true},
		{Name: "blocking-send", Summary: "a send or receive whose peer may be gone", Harm: rule.Leak, Trial: true, EndsWithProcess: true, Repeats: true},
		{Name: "stop-dropped", Summary: "something that never stops is passed on instead of the context or stop channel at hand", Harm: rule.Stuck, EndsWithProcess: true, Repeats: true, Fix: true},
		{Name: "watch", Summary: "a watch that outlives its context or is never stopped", Harm: rule.Hygiene, EndsWithProcess: true},
		{Name: "http", Summary: "an HTTP or admission handler whose slow work ignores the request's context", Harm: rule.Stuck, EndsWithProcess: true, Fix: true, Trial: true},
		{Name: "exec", Summary: "a process that is not killed when the context ends", Harm: rule.Hygiene, Fix: true},
	},
	Strict:      true,
	Requires:    []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, contexts.Analyzer, channels.Analyzer, goroutines.Analyzer, waits.Analyzer, detachedcalls.Analyzer, drops.Analyzer},
	ProductOnly: true,
	Run:         run,
})

type unit struct{ *subject.Unit }

// ending report what the end of the process ends as well.
var ending = []func(*subject.Unit){blockedsends.Report, endlessloops.Report}

// checks report the other findings. Sleeps come after the loops, see unit.endless.
var checks = []func(*subject.Unit){
	openwatches.Report,
	sleeps.Report,
	checkDroppedStops,
	checkProcesses,
	checkRequests,
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	u := &subject.Unit{
		Pass: pass, Report: report,
		Graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		Entries:  pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		Contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		Detached: pass.ResultOf[detachedcalls.Analyzer].(*detachedcalls.Calls),
		Starts:   pass.ResultOf[goroutines.Analyzer].(*goroutines.Starts),
	}
	if u.Graph.Pkg == nil {
		return nil
	}
	for _, check := range ending {
		if u.EndsSoon() {
			report.IfServed(func() { check(u) })
			u.Endless = nil // nobody knows whether they are reported
		} else {
			check(u)
		}
	}
	for _, check := range checks {
		check(u)
	}
	return nil
}

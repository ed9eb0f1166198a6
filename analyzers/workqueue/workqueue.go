package workqueue

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/workqueue/internal/events"
	"github.com/opvet/opvet/analyzers/workqueue/internal/pointerkeys"
	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/analyzers/workqueue/internal/retries"
	"github.com/opvet/opvet/analyzers/workqueue/internal/shutdowns"
	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/analyzers/workqueue/internal/unfinished"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

// Analyzer finds workqueues that are not used as they have to be.
var Analyzer = rule.New(rule.Spec{
	Name:      "workqueue",
	Summary:   "find workqueues whose items get lost, come back at once, or wait for nothing",
	DocSource: doc,
	Group:     "queues",
	Since:     "unreleased",
	Categories: []rule.Category{
		{Name: subject.NoDone, Summary: "an item is taken off the queue and never given back by Done", Harm: rule.Stuck, Trial: true, EndsWithProcess: true},
		{Name: subject.HotRetry, Summary: "an item that has failed is added again at once", Harm: rule.Load, EndsWithProcess: true},
		{Name: subject.NoForget, Summary: "the rate limiter is never told to forget an item that succeeded", Harm: rule.Leak, EndsWithProcess: true},
		{Name: subject.PointerKey, Summary: "pointers are added as keys, so that nothing is deduplicated", Harm: rule.Load, Trial: true, EndsWithProcess: true},
		{Name: subject.RateLimitedEvents, Summary: "an event handler adds rate limited, as if each event were a failure", Harm: rule.Hygiene},
		{Name: subject.NoShutdown, Summary: "workers wait in Get forever, since nobody shuts the queue down", Harm: rule.Stuck, EndsWithProcess: true},
		{Name: subject.Bypassed, Summary: "an event handler calls the workers' function itself, past the queue", Harm: rule.Loss, Trial: true},
		{Name: subject.OtherQueue, Summary: "a worker tells another queue what has become of an item", Harm: rule.Stuck},
	},
	Requires:    []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, queues.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &subject.Checker{
		Pass: pass, Report: report,
		Graph:   pass.ResultOf[calls.Analyzer].(*calls.Graph),
		Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		Queues:  pass.ResultOf[queues.Analyzer].(*queues.Queues),
		Flows:   paths.NewGraphs(pass.ResultOf[calls.Analyzer].(*calls.Graph)),
	}
	events.Report(c)
	if len(c.Queues.Ops) == 0 {
		return nil
	}
	c.WorkersOf = c.Workers()
	for _, w := range c.WorkersOf {
		unfinished.Report(c, w)
		retries.Report(c, w)
		events.ReportBypassed(c, w)
	}
	retries.ReportForgotten(c)
	pointerkeys.Report(c)
	shutdowns.Report(c)
	return nil
}

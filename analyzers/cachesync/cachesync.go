package cachesync

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/early"
	"github.com/opvet/opvet/analyzers/cachesync/internal/forgotten"
	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/analyzers/cachesync/internal/unstarted"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/report/rule"
)

type checker struct{ *subject.Checker }

//go:embed doc.go
var doc string

// Analyzer finds waits for informers' caches that do not do what they are for.
var Analyzer = rule.New(rule.Spec{
	Name:      "cachesync",
	Summary:   "find caches that are used before they are filled, and waits for them that go wrong",
	DocSource: doc,
	Group:     "informers",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: subject.Ignored, Summary: "caches are used although the wait for them has failed", Harm: rule.Loss, Trial: true},
		{Name: subject.Missing, Summary: "caches are used, or workers started, before anybody has waited", Harm: rule.Loss},
		{Name: subject.InReconcile, Summary: "a worker or handler waits for caches without a limit", Harm: rule.Stuck, Trial: true, EndsWithProcess: true},
		{Name: subject.NotStarted, Summary: "wait for informers that nothing has started", Harm: rule.Stuck},
		{Name: subject.Endless, Summary: "wait for caches that nothing can end", Harm: rule.Hygiene},
	},
	Requires: []*analysis.Analyzer{syncs.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[syncs.Analyzer].(*syncs.Syncs)
	if info.Graph.Pkg == nil {
		return nil
	}
	c := &checker{&subject.Checker{Syncs: info, Pass: pass, Report: report, Graphs: paths.NewGraphs(info.Graph), Remembered: make(map[ssa.Instruction][]syncs.Use)}}
	for _, w := range info.Waits {
		// At most one thing is said about a wait.
		_ = unstarted.Report(c.Checker, w) || c.inReconcile(w) || c.endless(w) || c.ignored(w)
	}
	for _, w := range info.Wrapped {
		c.ignored(w)
	}
	forgotten.Report(c.Checker)
	for _, fn := range info.Graph.Funcs {
		early.Report(c.Checker, fn)
	}
	return nil
}

package finalizerremoval

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/cleanups"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/foreign"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/gates"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/goneobjects"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/skippedpaths"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/unpersisted"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

// Analyzer finds finalizers that never come off, come off too early, or take
// others' with them.
var Analyzer = rule.New(rule.Spec{
	Name:      "finalizerremoval",
	Summary:   "find finalizers that never come off, come off before the clean-up, or take others' with them",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: subject.NeverRemoved, Summary: "a finalizer is added that nothing removes", Harm: rule.Stuck, Trial: true},
		{Name: subject.NotPersisted, Summary: "a finalizer is removed in memory, and the object is not written", Harm: rule.Stuck, Fix: true},
		{Name: subject.CleanupIgnored, Summary: "the clean-up may have failed, and the finalizer is removed all the same", Harm: rule.Leak},
		{Name: subject.SkippedPath, Summary: "a path on which the object is being deleted returns success with the finalizer still on it", Harm: rule.Stuck},
		{Name: subject.WrongBranch, Summary: "a finalizer is removed because a look-up failed, for whatever reason", Harm: rule.Leak},
		{Name: subject.BeforeCleanup, Summary: "the removal is stored before the clean-up is tried", Harm: rule.Leak},
		{Name: subject.Gated, Summary: "a finalizer is removed only if a field of the spec says so", Harm: rule.Stuck},
		{Name: subject.StripsForeign, Summary: "the finalizers of other controllers are removed as well", Harm: rule.Loss, Trial: true},
		{Name: subject.NotFoundStuck, Summary: "the clean-up fails forever if what it deletes is already gone", Harm: rule.Stuck, Fix: true},
	},
	Requires:    []*analysis.Analyzer{finalizers.Analyzer, finalizers.ProgramAnalyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[finalizers.Analyzer].(*finalizers.Finalizers)
	if info.Summaries.Calls.Pkg == nil {
		return nil
	}
	c := &subject.Checker{
		Summaries: info.Summaries, Info: info, Pass: pass, Report: report,
		Units: make(map[*ssa.Function]*subject.Function), StuckReported: make(map[ssa.Instruction]bool),
		Asking: make(map[*ssa.Function]bool), Local: make(map[*ssa.Function]bool),
	}
	var units []*subject.Function
	for _, fn := range info.Summaries.Units() {
		if u := c.Of(fn); len(u.Changes) > 0 {
			units = append(units, u)
		}
	}
	c.FindOwnKinds(units)
	for _, fn := range units {
		if len(fn.Removals) > 0 {
			unpersisted.Report(fn)
			cleanups.Report(fn)
			skippedpaths.Report(fn)
			goneobjects.Report(fn)
		}
		foreign.Report(fn)
	}
	gates.Report(units)
	for _, fn := range info.Summaries.Units() {
		foreign.ReportAnywhere(c.Of(fn))
	}
	never(c, pass.ResultOf[finalizers.ProgramAnalyzer].(*finalizers.Program))
	return nil
}

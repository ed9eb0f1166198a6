package informerlifecycle

import (
	_ "embed"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/lives"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/repetitions"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/passes/informers"
	"github.com/opvet/opvet/internal/passes/repeats"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

// Analyzer finds informers and factories that are started too often, too
// early, or forever.
var Analyzer = rule.New(rule.Spec{
	Name:      "informerlifecycle",
	Summary:   "find informers and factories that are started too often, too early, or forever",
	DocSource: doc,
	Group:     "informers",
	Since:     "unreleased",
	Categories: []rule.Category{
		{Name: subject.NeverStopped, Summary: "an informer that is started outside main and that nothing can stop", Harm: rule.Leak, Trial: true, EndsWithProcess: true, Repeats: true},
		{Name: subject.HandlerPerEvent, Summary: "an event handler that is added again for each event, item, request or round", Harm: rule.Leak, EndsWithProcess: true, Trial: true},
		{Name: subject.Restarted, Summary: "an informer or factory that is made and run again and again", Harm: rule.Leak, EndsWithProcess: true},
		{Name: subject.AfterStart, Summary: "an informer that is requested from a factory after its only Start", Harm: rule.Stuck},
		{Name: subject.NeverStarted, Summary: "an informer is read although its factory is never started", Harm: rule.Stuck},
		{Name: subject.NoShutdown, Summary: "a factory whose informers nobody waits for on the way out", Harm: rule.Leak, EndsWithProcess: true, Strict: true},
	},
	Strict: true,
	Requires: []*analysis.Analyzer{
		calls.Analyzer, entrypoints.Analyzer, contexts.Analyzer, goroutines.Analyzer, informers.Analyzer, repeats.Analyzer,
	},
	ProductOnly: true,
	Run:         run,
})

type unit struct{ *repetitions.Unit }

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[informers.Analyzer].(*informers.Uses)
	if len(info.Ops) == 0 {
		return nil
	}
	u := &unit{&repetitions.Unit{Unit: &lives.Unit{Unit: &subject.Unit{
		Pass: pass, Report: report, Info: info,
		Graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		Entries:  pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		Contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		Spawns:   pass.ResultOf[goroutines.Analyzer].(*goroutines.Starts),
		Into:     make(map[*ssa.Function][]entrypoints.Edge),
		SetUps:   make(map[*ssa.Function]bool),
		Staying:  make(map[*ssa.Function]bool),
		Built:    make(map[ssa.Instruction]bool),
		Unmade:   make(map[*types.Named]bool),
		Reported: make(map[ssa.Instruction]bool),
	}}}}
	for _, fn := range u.Graph.Funcs {
		for _, edge := range u.Entries.Edges(fn) {
			u.Into[edge.Callee] = append(u.Into[edge.Callee], edge)
		}
	}
	u.Claimed = u.LeftBehind()
	for _, site := range pass.ResultOf[repeats.Analyzer].(*repeats.Built).Sites {
		u.Built[site.Instr] = true
	}
	u.checkRestarted()
	u.checkNeverStopped()
	u.checkHandlers()
	u.checkOrder()
	if report.Strict() {
		u.checkShutdown()
	}
	return nil
}

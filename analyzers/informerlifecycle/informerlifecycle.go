package informerlifecycle

import (
	_ "embed"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/passes/informers"
	"github.com/opvet/opvet/internal/passes/repeats"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	neverStopped    = "never-stopped"
	handlerPerEvent = "handler-per-event"
	restarted       = "restarted"
	afterStart      = "after-start"
	neverStarted    = "never-started"
	noShutdown      = "no-shutdown"
)

// Analyzer finds informers and factories that are started too often, too
// early, or forever.
var Analyzer = rule.New(rule.Spec{
	Name:      "informerlifecycle",
	Summary:   "find informers and factories that are started too often, too early, or forever",
	DocSource: doc,
	Group:     "informers",
	Since:     "unreleased",
	Categories: []rule.Category{
		{Name: neverStopped, Summary: "an informer that is started outside main and that nothing can stop", Harm: rule.Leak, EndsWithProcess: true, Repeats: true},
		{Name: handlerPerEvent, Summary: "an event handler that is added again for each event, item, request or round", Harm: rule.Leak, EndsWithProcess: true},
		{Name: restarted, Summary: "an informer or factory that is made and run again and again", Harm: rule.Leak, EndsWithProcess: true},
		{Name: afterStart, Summary: "an informer that is requested from a factory after its only Start", Harm: rule.Stuck},
		{Name: neverStarted, Summary: "an informer is read although its factory is never started", Harm: rule.Stuck},
		{Name: noShutdown, Summary: "a factory whose informers nobody waits for on the way out", Harm: rule.Leak, EndsWithProcess: true, Strict: true},
	},
	Strict: true,
	Requires: []*analysis.Analyzer{
		calls.Analyzer, entrypoints.Analyzer, contexts.Analyzer, goroutines.Analyzer, informers.Analyzer, repeats.Analyzer,
	},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[informers.Analyzer].(*informers.Uses)
	if len(info.Ops) == 0 {
		return nil
	}
	u := &unit{
		pass: pass, report: report, info: info,
		graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		entries:  pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		spawns:   pass.ResultOf[goroutines.Analyzer].(*goroutines.Starts),
		into:     make(map[*ssa.Function][]entrypoints.Edge),
		setUps:   make(map[*ssa.Function]bool),
		staying:  make(map[*ssa.Function]bool),
		built:    make(map[ssa.Instruction]bool),
		unmade:   make(map[*types.Named]bool),
		reported: make(map[ssa.Instruction]bool),
	}
	for _, fn := range u.graph.Funcs {
		for _, edge := range u.entries.Edges(fn) {
			u.into[edge.Callee] = append(u.into[edge.Callee], edge)
		}
	}
	u.claimed = u.leftBehind()
	for _, site := range pass.ResultOf[repeats.Analyzer].(*repeats.Built).Sites {
		u.built[site.Instr] = true
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

// unit is one package under analysis.
type unit struct {
	pass     *analysis.Pass
	report   *rule.Reporter
	info     *informers.Uses
	graph    *calls.Graph
	entries  *entrypoints.Result
	contexts *contexts.Sources
	spawns   *goroutines.Starts
	// into has the ways that lead to each function.
	into map[*ssa.Function][]entrypoints.Edge
	// setUps and staying remember answers.
	setUps, staying map[*ssa.Function]bool
	// unmade remembers which types only tests make.
	unmade map[*types.Named]bool
	// claimed are the goroutines that handlergoroutine reports.
	claimed map[ssa.CallInstruction]bool
	// built are the factories that reconcileclient reports.
	built map[ssa.Instruction]bool
	// reported are the starts that have a finding.
	reported map[ssa.Instruction]bool
}

// leftBehind finds the goroutines that event handlers and reconcilers leave
// behind: they are handlergoroutine's, whatever runs in them.
func (u *unit) leftBehind() map[ssa.CallInstruction]bool {
	claimed := make(map[ssa.CallInstruction]bool)
	for _, entry := range u.entries.Entries {
		if !entry.Kind.PerEvent() && !entry.Kind.PerItem() && entry.Kind != kubeapi.Watch {
			continue
		}
		for _, leak := range u.spawns.Leaks(entry.Fn) {
			if !entry.Covers(leak.At()) || leak.Elsewhere != nil {
				continue
			}
			claimed[leak.Start()] = true
			if leak.Spawn == nil {
				continue
			}
			for _, body := range leak.Spawn.Bodies {
				for _, op := range u.info.Ops {
					if within(op.Instr.Parent(), body) {
						claimed[op.Instr] = true
					}
				}
			}
		}
	}
	return claimed
}

// within reports whether fn is outer or a literal in it.
func within(fn, outer *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if fn == outer {
			return true
		}
	}
	return false
}

// subject names what is started, asked or added to, with its article.
func subject(op kubeapi.InformerOp) string {
	v := op.Factory
	kind := "the factory"
	switch {
	case v == nil:
		v, kind = op.Informer, "the informer"
	case op.Cache:
		kind = "the cache"
	}
	if v == nil {
		return "the informer"
	}
	if name := kubeapi.Named(v.Type()); name != nil && kind == "the informer" && name.Obj().Name() == "Reflector" {
		kind = "the reflector"
	}
	if resource := resourceOf(v); resource != "" && kind == "the informer" {
		return "the informer of " + wording.Tail(resource, maxName)
	}
	return kind
}

// resourceOf names what an informer is about, if the accessor of a factory
// tells: "Pods" of f.Core().V1().Pods().Informer().
func resourceOf(v ssa.Value) string {
	call, ok := v.(*ssa.Call)
	if !ok {
		return ""
	}
	recv, args := kubeapi.Args(call.Common())
	inner, ok := recv.(*ssa.Call)
	if !ok || len(args) > 0 {
		return ""
	}
	if _, args := kubeapi.Args(inner.Common()); len(args) > 0 {
		return ""
	}
	if callee := kubeapi.Callee(inner.Common()); callee != nil {
		return callee.Name()
	}
	return ""
}

// maxName bounds names from the code under analysis, so that messages stay
// short.
const maxName = 30

// funcName names a function for messages: "Run", "a function in Run".
func funcName(fn *ssa.Function) string {
	outer := fn
	for outer.Parent() != nil {
		outer = outer.Parent()
	}
	name := outer.Name()
	if obj, ok := outer.Object().(*types.Func); ok {
		name = obj.Name()
	}
	name = wording.Tail(name, maxName)
	if outer != fn {
		return "a function in " + name
	}
	return name
}

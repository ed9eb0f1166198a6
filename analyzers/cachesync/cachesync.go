package cachesync

import (
	_ "embed"
	"fmt"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	ignored     = "ignored"
	missing     = "missing"
	inverted    = "inverted"
	inReconcile = "in-reconcile"
	sleep       = "sleep-instead"
	notStarted  = "not-started"
	endless     = "endless"
)

// Analyzer finds waits for informers' caches that do not do what they are for.
var Analyzer = rule.New(rule.Spec{
	Name:      "cachesync",
	Summary:   "find caches that are used before they are filled, and waits for them that go wrong",
	DocSource: doc,
	Group:     "informers",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: ignored, Summary: "caches are used although the wait for them has failed", Harm: rule.Loss},
		{Name: missing, Summary: "caches are used, or workers started, before anybody has waited", Harm: rule.Loss},
		{Name: inverted, Summary: "the condition takes filled caches for a failure", Harm: rule.Loss, Fix: true},
		{Name: inReconcile, Summary: "a worker or handler waits for caches without a limit", Harm: rule.Stuck, EndsWithProcess: true},
		{Name: sleep, Summary: "time.Sleep where the caches should be waited for", Harm: rule.Loss},
		{Name: notStarted, Summary: "wait for informers that nothing has started", Harm: rule.Stuck},
		{Name: endless, Summary: "wait for caches that nothing can end", Harm: rule.Hygiene},
	},
	Requires: []*analysis.Analyzer{syncs.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[syncs.Analyzer].(*syncs.Syncs)
	if info.Graph.Pkg == nil {
		return nil
	}
	c := &checker{Syncs: info, pass: pass, report: report, graphs: make(map[*ssa.Function]*paths.Graph), uses: make(map[ssa.Instruction][]syncs.Use)}
	for _, w := range info.Waits {
		c.wait(w)
	}
	for _, w := range info.Wrapped {
		_ = w.Elsewhere == "" && c.invertedWait(w) || c.ignored(w)
	}
	for _, fn := range info.Graph.Funcs {
		c.polls(fn)
		c.tooEarly(fn)
	}
	return nil
}

// checker looks at one package.
type checker struct {
	*syncs.Syncs
	pass   *analysis.Pass
	report *rule.Reporter
	graphs map[*ssa.Function]*paths.Graph
	uses   map[ssa.Instruction][]syncs.Use
}

// wait looks at one wait: at most one thing is said about it.
func (c *checker) wait(w *syncs.Wait) {
	_ = c.invertedWait(w) || c.notStarted(w) || c.inReconcile(w) || c.endless(w) || c.ignored(w)
}

func (c *checker) graph(fn *ssa.Function) *paths.Graph {
	g := c.graphs[fn]
	if g == nil {
		g = paths.NewGraph(fn, c.Graph, nil)
		c.graphs[fn] = g
	}
	return g
}

// usesAt is UsesAt, remembered.
func (c *checker) usesAt(instr ssa.Instruction) []syncs.Use {
	uses, ok := c.uses[instr]
	if !ok {
		uses = c.UsesAt(instr)
		c.uses[instr] = uses
	}
	return uses
}

func (c *checker) line(instr ssa.Instruction) int { return c.pass.Fset.Position(instr.Pos()).Line }

func (c *checker) finding(at ssa.Instruction, category, message string, related ...analysis.RelatedInformation) {
	c.harmful(at, category, 0, message, related...)
}

// harmful is a finding of which the situation decides the harm.
func (c *checker) harmful(at ssa.Instruction, category string, harm rule.Harm, message string, related ...analysis.RelatedInformation) {
	pos, end := syntax.Span(c.pass.Files, at)
	c.report.Report(rule.Finding{Pos: pos, End: end, Category: category, Harm: harm, Message: message, Related: related})
}

// until is how the code names what ends a wait.
func until(w *syncs.Wait) string {
	if w.Until != nil {
		if name := channels.NameOf(w.Until); name != "" {
			return name
		}
	}
	return "the context"
}

// use names what is done with caches, with its place: "c.podLister.List (line 12)".
func (c *checker) use(u syncs.Use) string {
	name := u.What
	if u.Kind != syncs.Starts && u.Via != nil {
		name = u.Via.Name()
	}
	return fmt.Sprintf("%s (line %d)", short(name), c.line(u.Instr))
}

// short bounds a name from the code under analysis, so that messages stay
// short.
func short(name string) string { return wording.Tail(name, 36) }

// receives reports whether an instruction receives from a channel, or asks a
// context whether it has ended: what comes after knows of the end.
func receives(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Select:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Call:
		callee := kubeapi.Callee(instr.Common())
		return callee != nil && callee.Name() == "Err" && callee.Signature().Recv() != nil && kubeapi.IsContext(callee.Signature().Recv().Type())
	}
	return false
}

func related(instr ssa.Instruction, message string) analysis.RelatedInformation {
	return analysis.RelatedInformation{Pos: instr.Pos(), Message: message}
}

package nestedtimeout

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/work"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var docSource string

// Analyzer reports deadlines that do not do what they say.
var Analyzer = rule.New(rule.Spec{
	Name:      "nestedtimeout",
	Summary:   "find deadlines that do not do what they say, and contexts that end before their work",
	DocSource: docSource,
	Group:     "context",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: neverFires, Summary: "a timeout that is at least as long as that of the context that it derives from", Harm: rule.Load, EndsWithProcess: true},
		{Name: outerOverridden, Summary: "a timeout whose context is only the parent of a shorter one", Harm: rule.Hygiene},
		{Name: shrinking, Summary: "timeouts derived from each other again and again: each gets what the former left", Harm: rule.Loss},
		{Name: alreadyDone, Summary: "a context that has ended is used, or given a timeout, after its end", Harm: rule.Loss, Fix: true},
		{Name: cancelledEarly, Summary: "a context is cancelled while something that was got with it still needs it", Harm: rule.Loss},
		{Name: deferInLoop, Summary: "a cancel function is deferred in a loop: nothing is released before the function returns", Harm: rule.Leak, Trial: true, EndsWithProcess: true},
		{Name: nested, Summary: "any timeout of a context that has one", Harm: rule.Hygiene, Strict: true},
	},
	Strict:   true,
	Requires: []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer, deadlines.Analyzer},
	Run:      run,
})

// The categories.
const (
	neverFires      = "never-fires"
	outerOverridden = "outer-overridden"
	shrinking       = "shrinking"
	alreadyDone     = "already-done"
	cancelledEarly  = "cancelled-early"
	deferInLoop     = "defer-in-loop"
	nested          = "nested"
)

// checker looks at one package.
type checker struct {
	pass   *analysis.Pass
	report *rule.Reporter
	calls  *calls.Graph
	info   *deadlines.Deadlines
	work   *work.Finder
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	calls := pass.ResultOf[calls.Analyzer].(*calls.Graph)
	if calls.Pkg == nil {
		return nil
	}
	c := &checker{
		pass: pass, report: report, calls: calls,
		info: pass.ResultOf[deadlines.Analyzer].(*deadlines.Deadlines),
	}
	c.work = &work.Finder{Info: c.info, Calls: calls}
	for _, fn := range calls.Funcs {
		if !handlesContexts(fn) {
			continue
		}
		c.timeouts(fn)
		c.deferred(fn)
		c.ended(fn)
		c.early(fn)
		c.returned(fn)
		c.goroutines(fn)
		c.stopped(fn)
	}
	return nil
}

// handlesContexts reports whether a function has anything to do with contexts.
func handlesContexts(fn *ssa.Function) bool {
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		common := call.Common()
		if !common.IsInvoke() && kubeapi.IsCancel(common.Value.Type()) {
			return true
		}
		for _, operand := range kubeapi.Operands(common) {
			if kubeapi.IsContext(operand.Type()) || kubeapi.IsCancel(operand.Type()) {
				return true
			}
		}
	}
	return false
}

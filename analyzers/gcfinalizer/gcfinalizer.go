package gcfinalizer

import (
	_ "embed"
	"fmt"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	clusterResource = "cluster-resource"
	apiObject       = "api-object"
)

// Analyzer finds clean-up in the cluster that the garbage collector is to run.
var Analyzer = rule.New(rule.Spec{
	Name:      "gcfinalizer",
	Summary:   "find clean-up that is left to the garbage collector, which may never do it",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: clusterResource, Summary: "runtime.SetFinalizer or AddCleanup is to release something in the cluster", Harm: rule.Leak},
		{Name: apiObject, Summary: "runtime.SetFinalizer or AddCleanup for an API object", Harm: rule.Leak},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	for _, fn := range sums.Calls.Funcs {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			if hook, ok := kubeapi.CollectorHookOf(call.Common()); ok {
				judge(sums, report, call, hook)
			}
		}
	}
	return nil
}

func judge(sums *objects.Summaries, report *rule.Reporter, call ssa.CallInstruction, hook kubeapi.CollectorHook) {
	if request := requestOf(sums, hook.Func); request != nil {
		report.Report(rule.Finding{
			Pos: call.Pos(), Category: clusterResource,
			Message: fmt.Sprintf("what %s should release stays in the cluster: %s runs it late or never, and not at shutdown; release it where its use ends",
				wording.Tail(request.Name(), maxName), hook.What),
		})
		return
	}
	if kind := kubeapi.KindOf(hook.Object.Type()); kind != nil {
		report.Report(rule.Finding{
			Pos: call.Pos(), Category: apiObject,
			Message: fmt.Sprintf("the clean-up for this %s runs at any time or never: %s watches a copy in memory, not the object; use a finalizer of the object",
				wording.Tail(kind.Obj().Name(), maxName), hook.What),
		})
	}
}

// maxName bounds names from the code under analysis, so that messages stay
// short.
const maxName = 40

// maxDepth bounds how far calls are followed.
const maxDepth = 4

// requestOf returns the client's method by which the function v changes
// something in the cluster, itself or in functions of the package that it
// calls.
func requestOf(sums *objects.Summaries, v ssa.Value) *types.Func {
	targets := sums.Calls.FuncsOf(v)
	for _, external := range targets.External {
		if kubeapi.IsClientDelete(external.Func) {
			return external.Func
		}
	}
	seen := make(map[*ssa.Function]bool)
	var visit func(fn *ssa.Function, depth int) *types.Func
	visit = func(fn *ssa.Function, depth int) *types.Func {
		if seen[fn] || depth > maxDepth {
			return nil
		}
		seen[fn] = true
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			callee := kubeapi.Callee(call.Common())
			if op, ok := sums.ClientOp(call.Common()); ok && !op.Verb.Reads() || kubeapi.IsClientDelete(callee) {
				return callee
			}
			for _, next := range sums.Calls.Callees(call).Funcs {
				if found := visit(next, depth+1); found != nil {
					return found
				}
			}
		}
		return nil
	}
	for _, fn := range targets.Funcs {
		if found := visit(fn, 0); found != nil {
			return found
		}
	}
	return nil
}

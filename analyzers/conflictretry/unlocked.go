package conflictretry

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// unlocked finds functions that only send merge patches without a lock.
func (r *retry) unlocked() {
	for _, n := range r.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil {
			continue
		}
		arg := kubeapi.PatchArgument(call.Common())
		if arg == nil {
			continue
		}
		made, ok := arg.(*ssa.Call)
		if !ok {
			continue
		}
		if spec, ok := kubeapi.PatchMadeBy(made.Common()); !ok || spec.Kind != kubeapi.MergePatch || spec.Locked || spec.From == nil {
			continue
		}
		pos, end := r.span(n)
		r.report.Report(rule.Finding{
			Pos: pos, End: end, Category: cannotFire, Harm: rule.Hygiene,
			Message: fmt.Sprintf("%s never retries: a merge patch without a lock does not conflict; use client.MergeFromWithOptimisticLock, or drop the retry", r.retrier()),
			Related: []analysis.RelatedInformation{{Pos: r.call.Pos(), Message: "the function is tried here"}},
		})
	}
}

package conflictretry

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
)

// harm is what a retry does that fails after a conflict: where the function
// around it hands the error on, the caller tries again later, and only attempts
// are wasted; elsewhere the write is lost.
func (r *retry) harm() rule.Harm {
	if r.handsOn() {
		return rule.Load
	}
	return rule.Loss
}

// handsOn reports whether no way from a failed retry ends in success.
func (r *retry) handsOn() bool {
	outer := r.around(r.call.Parent())
	exits, all := 0, true
	for _, n := range outer.Graph.At(r.call) {
		if n.Joins != nil {
			continue
		}
		errs := flow.Results(n, kubeapi.IsError)
		if len(errs) != 1 {
			return false
		}
		outer.Graph.Search(n, 0, map[ssa.Value]flow.Truth{errs[0]: flow.True}, func(at *flow.Node, stage int, known flow.Known) (int, flow.Step) {
			if !outer.Graph.IsExit(at) {
				return stage, flow.Continue
			}
			exits++
			all = all && outer.Graph.Outcome(at, known) != flow.False
			return stage, flow.Prune
		})
	}
	return exits > 0 && all
}

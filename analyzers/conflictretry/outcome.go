package conflictretry

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
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
		errs := paths.Results(n, kubeapi.IsError)
		if len(errs) != 1 {
			return false
		}
		outer.Graph.Search(n, 0, map[ssa.Value]paths.Truth{errs[0]: paths.True}, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if !outer.Graph.IsExit(at) {
				return stage, paths.Continue
			}
			exits++
			all = all && outer.Graph.Outcome(at, known) != paths.False
			return stage, paths.Prune
		})
	}
	return exits > 0 && all
}

package conflictretry

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
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
	tried := false
	for _, n := range outer.Graph.At(r.call) {
		if n.Joins != nil {
			continue
		}
		if !ends(outer, n, func(outcome paths.Truth) bool { return outcome != paths.False }) {
			return false
		}
		tried = true
	}
	return tried
}

// ends reports whether a function ends in a certain way wherever the call of a node has failed: with an
// error, without one, or nobody knows.
func ends(u *objects.Unit, failed *paths.Node, so func(outcome paths.Truth) bool) bool {
	errs := paths.Results(failed, kubeapi.IsError)
	if len(errs) != 1 {
		return false
	}
	exits, all := 0, true
	u.Graph.Search(failed, 0, map[ssa.Value]paths.Truth{errs[0]: paths.True}, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if !u.Graph.IsExit(at) {
			return stage, paths.Continue
		}
		exits++
		all = all && so(u.Graph.Outcome(at, known))
		return stage, paths.Prune
	})
	return exits > 0 && all
}

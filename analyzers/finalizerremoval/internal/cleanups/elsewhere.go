package cleanups

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// harmIgnored lowers that of a clean-up whose failure is not seen to leave anything behind.
// Outside of the cluster, where the failure is noted, to go on is a decision, since the other
// side may be gone for good, and the error would keep the object Terminating as long; what takes no
// context may be about memory. Of the API server's objects, the garbage collector takes
// those with an owner.
func (u *unit) harmIgnored(n *paths.Node, call *ssa.Call, sure bool) rule.Harm {
	if sure {
		return 0 // the category's
	}
	if u.inCluster(call, 0) {
		if u.staysBehind(call, 0) {
			return 0
		}
		return rule.Hygiene
	}
	if noted(paths.Results(n, kubeapi.IsError)) || !u.talks(call, 0) {
		return rule.Hygiene
	}
	return 0
}

// noted reports whether an error goes somewhere: into a log, say.
func noted(errs []ssa.Value) bool {
	return slices.ContainsFunc(errs, func(err ssa.Value) bool {
		return blocks.AnyUse(err, func(ref ssa.Instruction) bool {
			switch ref.(type) {
			case *ssa.BinOp, *ssa.DebugRef:
				return false
			}
			return true
		})
	})
}

// inCluster reports whether a clean-up may delete objects of the API server: a client
// does, or a function of the package that it runs, or one elsewhere that has a client.
func (u *unit) inCluster(call *ssa.Call, depth int) bool {
	if _, ok := u.DeletionOf(call.Common()); ok {
		return true
	}
	if len(u.Helpers(call)) == 0 {
		return getsClient(call)
	}
	return u.cleansUpInside(call, depth, func(u *unit, inner *ssa.Call) bool { return u.inCluster(inner, depth+1) })
}

// getsClient reports whether a call is handed a client, or something that has one.
func getsClient(call *ssa.Call) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return v != nil && subject.ReachesClient(v.Type()) })
}

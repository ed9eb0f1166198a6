package handlergoroutine

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/report/rule"
)

// harm lowers that of the category for a goroutine which ends by itself, holds no
// API object and leaves the API server alone: a late metric, a notification. It
// bypasses no queue, and a timer does not even cost a stack.
func harm(graph *calls.Graph, leak *goroutines.Leak) rule.Harm {
	switch {
	case leak.Endless, leak.Stuck, leak.Object != nil, leak.Spawn == nil:
		return 0
	case worksOnCluster(graph, leak.Spawn):
		if leak.Spawn.Timer {
			return rule.Load
		}
		return 0
	}
	return rule.Hygiene
}

// worksOnCluster reports whether a goroutine is seen to change something in the
// cluster.
func worksOnCluster(graph *calls.Graph, spawn *goroutines.Spawn) bool {
	seen := make(map[*ssa.Function]bool)
	var works func(fn *ssa.Function) bool
	works = func(fn *ssa.Function) bool {
		if seen[fn] {
			return false
		}
		seen[fn] = true
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if changesCluster(call) {
					return true
				}
				for _, target := range graph.Callees(call).Funcs {
					if works(target) {
						return true
					}
				}
			}
		}
		return false
	}
	for _, body := range spawn.Bodies {
		if works(body) {
			return true
		}
	}
	return false
}

// changesCluster reports whether a call has the API server change something.
func changesCluster(call ssa.CallInstruction) bool {
	if op, ok := kubeapi.ClientOp(call.Common()); ok {
		return !op.Verb.Reads()
	}
	_, ok := kubeapi.DeletionOf(call.Common())
	return ok
}

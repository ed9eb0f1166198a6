package endlessloops

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// awaitsServer reports whether a loop goes on only as long as the API server cannot be
// read: it lists something, or gets an object and takes it for an answer that there is
// none. It ends by itself when the server is back, which the rest of the controller waits
// for as well, and reads of a manager's cache hardly ever fail.
func (c *loopCheck) awaitsServer(loop *loops.Loop) bool {
	exits := loop.Exits()
	gets, missing := false, false
	for _, exit := range exits {
		if exit.Cond == nil {
			return false
		}
		if call, ok := exit.Cond.(*ssa.Call); ok && isServerError(kubeapi.Callee(call.Common())) && exit.When {
			missing = missing || kubeapi.Callee(call.Common()).Name() == "IsNotFound"
		} else if !c.failedRead(exit.Cond, &gets) {
			return false
		}
		for branch := range decidedIn(loop, exit.From) {
			if !c.failedRead(branch.Cond, &gets) {
				return false
			}
		}
	}
	return len(exits) > 0 && (!gets || missing)
}

// failedRead reports whether a condition asks if a read has failed. It notes whether that may
// be so because there is no such object.
func (c *loopCheck) failedRead(cond ssa.Value, gets *bool) bool {
	compare, ok := cond.(*ssa.BinOp)
	if !ok || !isErrorCheck(compare) || !comparesNil(compare) || compare.Op != token.EQL && compare.Op != token.NEQ {
		return false
	}
	return c.ofRead(comparedError(compare), gets, 0)
}

// comparedError is the error that a comparison with nil is about.
func comparedError(compare *ssa.BinOp) ssa.Value {
	if calls.IsNil(compare.X) {
		return compare.Y
	}
	return compare.X
}

// maxReads bounds the functions between a loop and what it reads.
const maxReads = 3

// ofRead reports whether an error is that of a read, of its own or of what a function of the
// package reads.
func (c *loopCheck) ofRead(err ssa.Value, gets *bool, depth int) bool {
	of := values.Relation{Calls: c.Graph, Steps: values.Local}
	reads := false
	for end := range of.Ends(err) {
		if calls.IsNil(end) {
			continue
		}
		call, _ := calls.CallOf(end)
		if call == nil {
			return false
		}
		if op, ok := kubeapi.ClientOp(call.Common()); ok {
			if reads = op.Verb.Reads(); !reads {
				return false
			}
			*gets = *gets || op.Verb == kubeapi.Get
			continue
		}
		targets := c.Graph.Callees(call)
		if len(targets.Funcs) == 0 && c.wrapsRead(call, gets, depth) {
			reads = true
			continue
		}
		if !targets.Closed || len(targets.Funcs) != 1 || depth == maxReads {
			return false
		}
		for ret := range blocks.Returns(targets.Funcs[0]) {
			last := ret.Results[len(ret.Results)-1]
			if calls.IsNil(last) {
				continue
			}
			if reads = c.ofRead(last, gets, depth+1); !reads {
				return false
			}
		}
	}
	return reads
}

// wrapsRead reports whether a call makes an error of that of a read: it is made because the
// read has failed.
func (c *loopCheck) wrapsRead(call *ssa.Call, gets *bool, depth int) bool {
	for branch, holds := range blocks.Decided(call.Block()) {
		compare, ok := branch.Cond.(*ssa.BinOp)
		if ok && isErrorCheck(compare) && comparesNil(compare) && (compare.Op == token.NEQ) == holds {
			return depth < maxReads && c.ofRead(comparedError(compare), gets, depth+1)
		}
	}
	return false
}

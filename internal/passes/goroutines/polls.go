package goroutines

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Poll is a read of an object that a goroutine repeats as long as it fails, also because the
// object is gone, and nothing else ends it.
type Poll struct {
	// Pos is where the object is read, in the package under analysis; Where is the place if it
	// is in another one.
	Pos   token.Pos
	Where string
}

// pollOf returns the read without which a goroutine does not end, or nil.
func (a *analysisState) pollOf(s *Spawn, b *body) *Poll {
	if b.isLarge() {
		return nil
	}
	seen := make(map[*ssa.Function]bool)
	for _, in := range b.instrs {
		if fn := in.instr.Parent(); !seen[fn] {
			seen[fn] = true
			if read := persistentRead(fn); read != nil {
				return &Poll{Pos: read.Pos()}
			}
		}
		if call, ok := in.instr.(ssa.CallInstruction); ok {
			if read := a.polledRead(call, in.env); read != nil {
				return &Poll{Pos: read.Pos()}
			}
		}
	}
	if read := a.polledRead(s.Call, nil); read != nil {
		return &Poll{Pos: read.Pos()}
	}
	return nil
}

// polledRead returns the read that the condition of a poller makes which nothing but its success
// ends.
func (a *analysisState) polledRead(call ssa.CallInstruction, e *env) *ssa.Call {
	common := call.Common()
	callee, forever, without := kubeapi.EndlessWait(common)
	if wait, ok := kubeapi.WaitCall(common); ok && wait.Poller && !wait.Limited {
		callee, forever, without = wait.Callee, a.neverEnds(wait.Until, e), true
	}
	if !without || !forever || !kubeapi.IsPoller(callee) {
		return nil
	}
	for _, arg := range common.Args {
		for _, fn := range a.callbacks(arg) {
			for read := range blocks.InstrsOf[*ssa.Call](fn) {
				if readsOne(read) && !asksWhy(read) && asksAgain(fn, read) {
					return read
				}
			}
		}
	}
	return nil
}

// neverEnds reports whether a context is one that nobody ends, or a channel that nobody closes.
func (a *analysisState) neverEnds(until ssa.Value, e *env) bool {
	if kubeapi.IsNeverStop(until) {
		return true
	}
	if !kubeapi.IsContext(until.Type()) {
		return false
	}
	for _, p := range a.contexts(until, e) {
		call, ok := p.root.(*ssa.Call)
		if !ok || p.path != "" {
			return false // WithCancel and its like have two results
		}
		if kubeapi.IsRootContext(kubeapi.Callee(call.Common())) {
			return true
		}
	}
	return false
}

// readsOne reports whether a call reads one object, of the API server or a cache.
func readsOne(call *ssa.Call) bool {
	if op, ok := kubeapi.ClientOp(call.Common()); ok {
		return op.Verb == kubeapi.Get
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && kubeapi.IsListerGet(callee)
}

// asksWhy reports whether somebody asks why a read has failed: that the object is gone is
// thought of.
func asksWhy(read *ssa.Call) bool {
	return blocks.Any(read.Parent(), func(call *ssa.Call) bool {
		switch kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) {
		case kubeapi.TellsNotFound, kubeapi.TellsErrorKind, kubeapi.IgnoresErrorKind:
			return true
		}
		return false
	})
}

// asksAgain reports whether a condition says that it does not hold yet, and no error, wherever
// a read has failed.
func asksAgain(condition *ssa.Function, read *ssa.Call) bool {
	again := false
	for ret := range blocks.Returns(condition) {
		if len(ret.Results) != 2 {
			return false
		}
		failed, known := calls.FailedAt(ret.Block(), read)
		if cmp, ok := ret.Results[0].(*ssa.BinOp); ok && !known && calls.IsNil(ret.Results[1]) {
			err, fails := calls.Failure(cmp, true)
			if call, _ := calls.CallOf(err); err != nil && call == read {
				failed, known = !fails, true
			}
		} else if value, isConst := kubeapi.ConstBool(ret.Results[0]); known && failed && (value || !isConst || !calls.IsNil(ret.Results[1])) {
			return false
		}
		if !known && blocks.Follows(read, ret) {
			return false
		}
		again = again || failed
	}
	return again
}

// persistentRead returns a read in a loop of a function that sleeps between its rounds and is
// left only where the read has not failed, or nil.
func persistentRead(fn *ssa.Function) *ssa.Call {
	for _, loop := range loops.Of(fn) {
		waits := loop.Waits()
		if len(waits) == 0 || slices.ContainsFunc(waits, func(w loops.Wait) bool { return !w.Timed }) {
			continue
		}
		for _, block := range loop.Ordered() {
			for _, instr := range block.Instrs {
				read, ok := instr.(*ssa.Call)
				if ok && readsOne(read) && !asksWhy(read) && leftOnlyAfter(loop, read) {
					return read
				}
			}
		}
	}
	return nil
}

// leftOnlyAfter reports whether all ways out of a loop, of which there are some, depend on a
// read that has not failed.
func leftOnlyAfter(loop *loops.Loop, read *ssa.Call) bool {
	exits := loop.Exits()
	return len(exits) > 0 && !slices.ContainsFunc(exits, func(exit loops.Exit) bool {
		failed, known := calls.FailedFrom(exit.To, exit.From, read)
		return !known || failed
	})
}

package deadlines

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// EndsOnEdge returns the contexts that have ended when a branch is taken.
func (i *Deadlines) EndsOnEdge(branch *ssa.If, when bool) []End {
	cond, when := values.Asked(branch.Cond, when)
	end := func(ctx ssa.Value, pos token.Pos) []End {
		if id := i.IDOf(ctx); id != nil {
			return []End{{ID: id, Pos: pos, Sure: true}}
		}
		return nil
	}
	if _, state := loops.SelectCase(cond); state != nil {
		if compare := cond.(*ssa.BinOp); compare.Op == token.EQL && when && state.Dir == types.RecvOnly && kubeapi.IsStopChannel(state.Chan.Type()) {
			pos := state.Pos
			if !pos.IsValid() {
				pos = branch.Pos()
			}
			return end(state.Chan, pos)
		}
		return nil
	}
	switch cond := cond.(type) {
	case *ssa.BinOp:
		ctx, other := comparedErr(cond)
		if ctx == nil {
			return i.waitedFor(cond, when)
		}
		// Err() != nil, or Err() == context.DeadlineExceeded.
		if calls.IsNil(other) && (cond.Op == token.NEQ) == when || !calls.IsNil(other) && (cond.Op == token.EQL) == when {
			return end(ctx, cond.Pos())
		}
	case *ssa.Call:
		if until, ok := kubeapi.IsCacheSync(cond.Common()); ok {
			if !when {
				return end(until, cond.Pos())
			}
			return nil
		}
		if callee := kubeapi.Callee(cond.Common()); when && callee != nil && kubeapi.FullName(callee) == "errors.Is" {
			if ctx := askedErr(cond.Common().Args[0]); ctx != nil {
				return end(ctx, cond.Pos())
			}
		}
	}
	return nil
}

// livesOnEdge reports whether the context id has not ended if a branch is taken: its Err is nil.
func (i *Deadlines) livesOnEdge(branch *ssa.If, when bool, id ID) bool {
	cond, when := values.Asked(branch.Cond, when)
	compare, ok := cond.(*ssa.BinOp)
	if !ok || (compare.Op == token.EQL) != when {
		return false
	}
	ctx, other := comparedErr(compare)
	return ctx != nil && calls.IsNil(other) && i.sees(ctx, id)
}

// comparedErr returns the context whose Err is compared, or nil, and what it is compared with.
func comparedErr(compare *ssa.BinOp) (ctx, other ssa.Value) {
	if ctx := askedErr(compare.X); ctx != nil {
		return ctx, compare.Y
	}
	return askedErr(compare.Y), compare.X
}

// askedErr returns the context whose Err or Cause v is, or nil.
func askedErr(v ssa.Value) ssa.Value {
	if ctx := loops.ErrOf(v); ctx != nil {
		return ctx
	}
	call, ok := v.(*ssa.Call)
	if ok && kubeapi.IsFunc(kubeapi.Callee(call.Common()), "context", "Cause") && len(call.Common().Args) == 1 {
		return call.Common().Args[0]
	}
	return nil
}

// waitedFor handles `err == nil` of a function that succeeds only when its
// context has ended.
func (i *Deadlines) waitedFor(cond *ssa.BinOp, when bool) []End {
	err, other := cond.X, cond.Y
	if calls.IsNil(err) {
		err, other = other, err
	}
	if !calls.IsNil(other) || (cond.Op == token.EQL) != when {
		return nil
	}
	call, _ := calls.CallOf(err)
	if call == nil || !kubeapi.IsError(err.Type()) {
		return nil
	}
	var ends []End
	for _, id := range i.endsIfOK(call) {
		ends = append(ends, End{ID: id, Pos: call.Pos(), Sure: true})
	}
	return ends
}

// endsIfOK returns the contexts that have ended if a call returns no error.
func (i *Deadlines) endsIfOK(call *ssa.Call) []ID {
	if until, _, ok := kubeapi.ReturnsWhenDone(call.Common()); ok {
		if id := i.IDOf(until); id != nil {
			return []ID{id}
		}
		return nil
	}
	if b := i.Of(call); b != nil {
		return i.handed(call, b.WaitsOK)
	}
	return nil
}

// handed returns the contexts that a call hands over for parameters.
func (i *Deadlines) handed(call ssa.CallInstruction, params []int) []ID {
	operands := kubeapi.Operands(call.Common())
	var ids []ID
	for _, p := range params {
		if p < len(operands) {
			if id := i.IDOf(operands[p]); id != nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

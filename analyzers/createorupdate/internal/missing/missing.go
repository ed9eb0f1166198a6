// Package missing tells where an object is surely not there: a Get has just said so.
package missing

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// In answers for a package.
type In struct{ *objects.Summaries }

// maxCallers bounds how far callers are asked.
const maxCallers = 2

// Is reports whether a call is made only where a Get has said that an object of a kind,
// which may be nil, is not there, here or in all callers of the function: it creates then.
func (c In) Is(call ssa.CallInstruction, kind *types.Named) bool { return c.is(call, kind, 0) }

func (c In) is(call ssa.CallInstruction, kind *types.Named, depth int) bool {
	if values.IsWhereNotFound(call.Block()) {
		return true
	}
	for branch, held := range blocks.Decided(call.Block()) {
		if kind != nil && c.saysMissing(branch.Cond, held, kind, 0) {
			return true
		}
	}
	callers := c.Calls.Callers(call.Parent())
	return depth < maxCallers && len(callers) > 0 && !slices.ContainsFunc(callers, func(caller ssa.CallInstruction) bool { return !c.is(caller, kind, depth+1) })
}

func tellsNotFound(asked *ssa.Call) bool {
	return kubeapi.ErrorUseOf(kubeapi.Callee(asked.Common())) == kubeapi.TellsNotFound
}

// maxQuestions bounds the functions and fields between a condition and the Get that
// answers it.
const maxQuestions = 3

// saysMissing reports whether a condition that holds, or does not, says that an earlier Get
// has not found the object of a kind:
//
//	if !m.Exists() { m.Create(ctx) } // Exists: return m.object != nil
//
// The Get of CreateOrUpdate, a moment later, overwrites nothing then.
func (c In) saysMissing(cond ssa.Value, held bool, kind *types.Named, depth int) bool {
	if depth > maxQuestions {
		return false
	}
	cond, held = values.Asked(cond, held)
	if compared, ok := cond.(*ssa.BinOp); ok {
		isNil := compared.Op == token.EQL
		return (isNil || compared.Op == token.NEQ) && isNil == held && calls.IsNil(compared.Y) && c.isFromGet(compared.X, kind)
	}
	if field := calls.LoadedField(cond); field != nil {
		return c.isSetByGet(field, held, kind)
	}
	call, index := calls.CallOf(cond)
	if call == nil {
		return false
	}
	if tellsNotFound(call) {
		return held && c.gets(call.Parent(), kind)
	}
	targets := c.Calls.Callees(call)
	if len(targets.Funcs) == 0 || !targets.Closed {
		return false
	}
	return !slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool { return !c.returnsIfMissing(fn, index, held, kind, depth) })
}

// returnsIfMissing reports whether a function returns an answer only where a Get has not
// found the object, or with an error.
func (c In) returnsIfMissing(fn *ssa.Function, index int, answer bool, kind *types.Named, depth int) bool {
	says := false
	for ret := range blocks.Returns(fn) {
		if index >= len(ret.Results) {
			return false
		}
		switch value, constant := kubeapi.ConstBool(ret.Results[index]); {
		case !constant:
			if !c.saysMissing(ret.Results[index], answer, kind, depth+1) {
				return false
			}
			says = true
		case value != answer:
		case values.IsWhereNotFound(ret.Block()) && c.gets(fn, kind):
			says = true
		case !c.returnsError(ret):
			return false
		}
	}
	return says
}

// returnsError reports whether a return hands back an error beside what it answers.
func (c In) returnsError(ret *ssa.Return) bool {
	last := ret.Results[len(ret.Results)-1]
	return kubeapi.IsError(last.Type()) && !c.Calls.IsNilError(last)
}

// gets reports whether a function gets objects of a kind.
func (c In) gets(fn *ssa.Function, kind *types.Named) bool {
	return blocks.Any(fn, func(call *ssa.Call) bool { return c.getOf(call, kind) != nil })
}

// isFromGet reports whether an object of a kind that is kept in a field is there only if a
// Get has read it: the package stores nothing else there but nil.
func (c In) isFromGet(v ssa.Value, kind *types.Named) bool {
	field := calls.LoadedField(v)
	if field == nil || !isSame(kubeapi.KindOf(v.Type()), kind) {
		return false
	}
	stored := c.Calls.Stored(field)
	may := values.Relation{Calls: c.Calls, Steps: values.Local | values.Returned}
	isRead := func(v ssa.Value) bool { return c.isRead(v, kind) }
	return slices.ContainsFunc(stored, func(v ssa.Value) bool { return may.Any(v, isRead) }) &&
		!slices.ContainsFunc(stored, func(v ssa.Value) bool {
			return !may.All(v, func(v ssa.Value) bool { return calls.IsNil(v) || isRead(v) })
		})
}

// isRead reports whether a value is an object that its function has a Get read into, or
// that one returns.
func (c In) isRead(v ssa.Value, kind *types.Named) bool {
	if call, index := calls.CallOf(v); call != nil {
		op, ok := c.ClientOp(call.Common())
		return ok && op.Verb == kubeapi.Get && op.Result && index == 0 && isSame(kubeapi.KindOf(v.Type()), kind)
	}
	made, ok := v.(*ssa.Alloc)
	if !ok {
		return false
	}
	object := c.Resolve.Place(made).Object
	return blocks.Any(made.Parent(), func(call *ssa.Call) bool {
		got := c.getOf(call, kind)
		return got != nil && c.Resolve.Place(got).Object == object
	})
}

// isSetByGet reports whether a field that is true or false has an answer only if no Get has
// found an object: it is the other one where a Get has succeeded, and nowhere else.
func (c In) isSetByGet(field *types.Var, answer bool, kind *types.Named) bool {
	if answer || !kubeapi.IsBool(field.Type()) {
		return false // fields are false before anybody has asked
	}
	says := false
	for _, store := range c.Calls.Stores(field) {
		value, constant := kubeapi.ConstBool(store.Val)
		switch {
		case constant && !value:
		case constant && c.afterGet(store.Block(), kind), !constant && c.isSuccess(store.Val, true, kind):
			says = true
		default:
			return false
		}
	}
	return says
}

// afterGet reports whether a block is reached only if a Get of a kind has succeeded.
func (c In) afterGet(block *ssa.BasicBlock, kind *types.Named) bool {
	for branch, held := range blocks.Decided(block) {
		if c.isSuccess(branch.Cond, held, kind) {
			return true
		}
	}
	return false
}

// isSuccess reports whether a condition says of a Get of a kind that it has succeeded.
func (c In) isSuccess(cond ssa.Value, held bool, kind *types.Named) bool {
	compared, ok := cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	err, failed := calls.Failure(compared, held)
	if err == nil || failed {
		return false
	}
	call, _ := calls.CallOf(err)
	return call != nil && c.getOf(call, kind) != nil
}

// getOf returns the object that a call gets, if it is a Get of a kind.
func (c In) getOf(call *ssa.Call, kind *types.Named) ssa.Value {
	op, ok := c.ClientOp(call.Common())
	if !ok || op.Verb != kubeapi.Get {
		return nil
	}
	got := op.Object
	if op.Result {
		got = calls.ResultOf(call, 0)
	}
	if got == nil || !isSame(kubeapi.KindBehind(got), kind) {
		return nil
	}
	return got
}

// isSame reports whether a kind, which may be nil, is another one.
func isSame(kind, other *types.Named) bool { return kind != nil && kind.Obj() == other.Obj() }

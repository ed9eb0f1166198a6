package cacheobjects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// callee is something that a call may run.
type callee struct {
	fn   *ssa.Function // in this package, or nil
	obj  *types.Func   // nil for a literal
	sum  *Summary
	recv ssa.Value // what a method value is bound to
}

// callees returns what a call may run of the user's modules.
func (u *unit) callees(call ssa.CallInstruction) []callee {
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin {
		return nil
	}
	if !common.IsInvoke() && common.StaticCallee() == nil && u.isParameter(common.Value) {
		return nil // each caller of this function tells what it hands in
	}
	targets := u.Calls.Callees(call)
	var found []callee
	for _, fn := range targets.Funcs {
		obj, _ := fn.Object().(*types.Func)
		found = append(found, callee{fn: fn, obj: obj, sum: u.summary(fn)})
	}
	if len(found) > 0 {
		return found
	}
	if fn := kubeapi.Callee(common); fn != nil {
		if sum := u.of(fn); sum != nil {
			return []callee{{obj: fn, sum: sum}}
		}
		return nil
	}
	for _, e := range targets.External {
		if sum := u.of(e.Func); sum != nil {
			found = append(found, callee{obj: e.Func, sum: sum, recv: e.Recv})
		}
	}
	return found
}

// isParameter reports whether a function value is a parameter of the unit's
// declared function.
func (u *unit) isParameter(fn ssa.Value) bool {
	return slices.ContainsFunc(u.get(fn), func(o origin) bool {
		return o.src.fn == u.outer && !o.src.called && o.take == "" && o.put == ""
	})
}

// summary is the summary of a function of this package, as far as it is known;
// the unit is looked at again when that changes.
func (u *unit) summary(fn *ssa.Function) *Summary {
	if !slices.Contains(u.users[fn], u.outer) {
		u.users[fn] = append(u.users[fn], u.outer)
	}
	return u.local[fn]
}

// receives is what of a call's operand can reach the callee's parameter: a
// method of a concrete type runs for receivers of that type only.
func (c callee) receives(param int, list []origin) []origin {
	if c.obj == nil || param > 0 || c.obj.Signature().Recv() == nil || types.IsInterface(c.obj.Signature().Recv().Type()) {
		return list
	}
	step := typeStep(c.obj.Signature().Recv().Type())
	return each(list, func(o origin) (origin, bool) {
		ok := o.dyn == "" || o.dyn == step
		o.dyn = ""
		return o, ok
	})
}

// operands are a call's operands as the callee's parameters are counted.
func operands(common *ssa.CallCommon, c callee) []ssa.Value {
	ops := kubeapi.Operands(common)
	params := -1
	switch {
	case c.fn != nil:
		params = len(c.fn.Params)
	case c.obj != nil:
		params = c.obj.Signature().Params().Len()
		if c.obj.Signature().Recv() != nil {
			params++
		}
	}
	if len(ops) == params-1 {
		return append([]ssa.Value{c.recv}, ops...)
	}
	return ops
}

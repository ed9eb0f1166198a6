package cacheobjects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// asked is a parameter of type bool by which callers switch a write on: its index plus
// one, negative if the write is there unless it is set, and 0 if there is none.
type asked int

// askedOf returns the parameter of fn on which it depends that an instruction runs, of
// the function or a literal in it.
func (u *unit) askedOf(fn *ssa.Function, at ssa.Instruction) (on asked) {
	u.Calls.Everywhere(at, func(at *calls.Site) bool {
		if at.Parent() != fn {
			return false
		}
		for branch, held := range blocks.Decided(at.Block()) {
			if on = switchOf(fn, branch.Cond, held); on != 0 {
				return true
			}
		}
		return false
	})
	return on
}

// switchOf is the parameter that a value is, if that has to be so.
func switchOf(fn *ssa.Function, v ssa.Value, holds bool) asked {
	v, holds = values.Asked(v, holds)
	param, ok := calls.Behind(v).(*ssa.Parameter)
	if !ok || !types.Identical(param.Type(), types.Typ[types.Bool]) {
		return 0
	}
	index := slices.Index(fn.Params, param) + 1
	if !holds {
		index = -index
	}
	return asked(index)
}

// in is the operand of a call that decides, and what it has to be.
func (a asked) in(ops []ssa.Value) (v ssa.Value, holds bool) {
	index := max(int(a), -int(a)) - 1
	if a == 0 || index >= len(ops) {
		return nil, false
	}
	return ops[index], a > 0
}

// off reports whether a call switches the write off: by a constant.
func (a asked) off(ops []ssa.Value) bool {
	v, holds := a.in(ops)
	value, ok := kubeapi.ConstBool(v)
	return ok && value != holds
}

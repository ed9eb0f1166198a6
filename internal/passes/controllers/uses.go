package controllers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// use is a call that has a value among its operands.
type use struct {
	call    ssa.CallInstruction
	operand int // its index in kubeapi.Operands
}

// uses are all calls that a builder or a controller gets to.
type uses struct {
	calls []use
	// open tells that it gets out of sight.
	open bool
}

// usesOf follows a value forwards: through variables, merges, helpers of the
// package, and calls of methods that return their receiver.
func (f *finder) usesOf(v ssa.Value, same func(types.Type) bool) *uses {
	u := new(uses)
	of := values.Relation{Calls: f.calls, Steps: values.Converted | values.Merged | values.Held | values.Returned, Onward: func(v ssa.Value, use ssa.Instruction) []ssa.Value {
		switch use := use.(type) {
		case *ssa.Extract:
			if same(use.Type()) {
				return []ssa.Value{use}
			}
		case ssa.CallInstruction:
			return f.usedBy(use, v, u, same)
		}
		return nil
	}}
	for v, use := range of.Uses(v) {
		if store, ok := use.(*ssa.Store); ok && store.Val == v {
			if _, local := store.Addr.(*ssa.Alloc); !local {
				u.open = true
			}
		}
	}
	return u
}

// usedBy notes a call that a value is an operand of, and returns what it is called
// afterwards.
func (f *finder) usedBy(call ssa.CallInstruction, v ssa.Value, u *uses, same func(types.Type) bool) (onward []ssa.Value) {
	for i, operand := range kubeapi.Operands(call.Common()) {
		if operand != v {
			continue
		}
		u.calls = append(u.calls, use{call, i})
		targets := f.calls.Callees(call)
		for _, fn := range targets.Funcs {
			if i < len(fn.Params) {
				onward = append(onward, fn.Params[i])
			}
		}
		recv, _ := kubeapi.Args(call.Common())
		if value, ok := call.(*ssa.Call); ok && recv == v && same(value.Type()) {
			onward = append(onward, value) // a method of the builder's
		} else if len(targets.Funcs) == 0 && recv != v {
			u.open = true
		}
	}
	return onward
}

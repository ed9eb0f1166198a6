package controllers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

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
	seen := make(map[ssa.Value]bool)
	var follow func(v ssa.Value)
	follow = func(v ssa.Value) {
		if v == nil || seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, ref := range *v.Referrers() {
			// A switch of its own: it goes forward, which ir/values does not.
			switch ref := ref.(type) {
			case *ssa.Phi:
				follow(ref)
			case *ssa.MakeInterface:
				follow(ref)
			case *ssa.ChangeInterface:
				follow(ref)
			case *ssa.Extract:
				if same(ref.Type()) {
					follow(ref)
				}
			case *ssa.UnOp:
				follow(ref)
			case *ssa.Store:
				if ref.Val != v {
					continue
				}
				switch ref.Addr.(type) {
				case *ssa.Alloc, *ssa.FreeVar:
					follow(ref.Addr)
				default:
					u.open = true
				}
			case *ssa.MakeClosure:
				for i, binding := range ref.Bindings {
					if binding == v {
						follow(ref.Fn.(*ssa.Function).FreeVars[i])
					}
				}
			case *ssa.Return:
				f.returned(ref, v, follow)
			case ssa.CallInstruction:
				f.usedBy(ref, v, u, same, follow)
			}
		}
	}
	follow(v)
	return u
}

// returned follows a result to the calls of the function.
func (f *finder) returned(ret *ssa.Return, v ssa.Value, follow func(ssa.Value)) {
	for i, result := range ret.Results {
		if result != v {
			continue
		}
		for _, call := range f.calls.Callers(ret.Parent()) {
			value, ok := call.(*ssa.Call)
			if !ok {
				continue
			}
			if len(ret.Results) == 1 {
				follow(value)
				continue
			}
			for _, ref := range *value.Referrers() {
				if extract, ok := ref.(*ssa.Extract); ok && extract.Index == i {
					follow(extract)
				}
			}
		}
	}
}

func (f *finder) usedBy(call ssa.CallInstruction, v ssa.Value, u *uses, same func(types.Type) bool, follow func(ssa.Value)) {
	for i, operand := range kubeapi.Operands(call.Common()) {
		if operand != v {
			continue
		}
		u.calls = append(u.calls, use{call, i})
		targets := f.calls.Callees(call)
		for _, fn := range targets.Funcs {
			if i < len(fn.Params) {
				follow(fn.Params[i])
			}
		}
		recv, _ := kubeapi.Args(call.Common())
		if value, ok := call.(*ssa.Call); ok && recv == v && same(value.Type()) {
			follow(value) // a method of the builder's
		} else if len(targets.Funcs) == 0 && recv != v {
			u.open = true
		}
	}
}

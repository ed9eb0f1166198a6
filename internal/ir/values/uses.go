package values

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Uses yields what is done with v, by any of the names that it goes by: each instruction
// that uses it, with the value that it is there. What is a step of the relation itself,
// such as a conversion, a variable or a literal that captures it, is followed instead of
// told; a call and a return are told all the same where they may lead out of the package.
// A nil instruction stands for uses that cannot be seen.
func (r Relation) Uses(v ssa.Value) iter.Seq2[ssa.Value, ssa.Instruction] {
	return func(yield func(ssa.Value, ssa.Instruction) bool) {
		seen := map[ssa.Value]bool{v: true}
		open := []ssa.Value{v}
		for len(open) > 0 {
			v := open[0]
			open = open[1:]
			if v.Referrers() == nil || len(seen) > maxValues {
				if !yield(v, nil) {
					return
				}
				continue
			}
			for _, use := range *v.Referrers() {
				if _, debug := use.(*ssa.DebugRef); debug {
					continue
				}
				onward, followed := r.onward(v, use)
				if !followed && !yield(v, use) {
					return
				}
				for _, next := range onward {
					if !seen[next] {
						seen[next] = true
						open = append(open, next)
					}
				}
			}
		}
	}
}

// Names returns some values and all that they are called by the relation's steps.
func (r Relation) Names(values ...ssa.Value) map[ssa.Value]bool {
	names := make(map[ssa.Value]bool)
	for len(values) > 0 && len(names) <= maxValues {
		v := values[0]
		values = values[1:]
		if v == nil || names[v] {
			continue
		}
		names[v] = true
		if v.Referrers() == nil {
			continue
		}
		for _, use := range *v.Referrers() {
			onward, _ := r.onward(v, use)
			values = append(values, onward...)
		}
	}
	return names
}

// onward returns what v is called after an instruction that uses it; followed tells that
// it does nothing else with it.
func (r Relation) onward(v ssa.Value, use ssa.Instruction) (onward []ssa.Value, followed bool) {
	onward, followed = r.stepped(v, use)
	if r.Onward != nil {
		if more := r.Onward(v, use); len(more) > 0 {
			return append(onward, more...), true
		}
	}
	return onward, followed
}

func (r Relation) stepped(v ssa.Value, use ssa.Instruction) (onward []ssa.Value, followed bool) {
	switch use := use.(type) {
	case *ssa.Store:
		if use.Val != v || r.Steps&Held == 0 {
			return nil, false
		}
		cell := r.cell(use.Addr)
		if cell == nil {
			return nil, false
		}
		return Loads(cell)
	case *ssa.MakeClosure:
		fn := use.Fn.(*ssa.Function)
		if r.Steps&Held == 0 || fn.Synthetic != "" {
			return nil, false
		}
		for i, bound := range use.Bindings {
			if bound == v {
				onward = append(onward, fn.FreeVars[i])
			}
		}
		return onward, len(onward) > 0
	case *ssa.Return:
		return r.returned(v, use)
	case ssa.CallInstruction:
		return r.handed(v, use)
	case *ssa.TypeAssert:
		if r.Steps&Asserted == 0 {
			return nil, false
		}
		if use.CommaOk {
			return Extracted(use, 0), true
		}
		return []ssa.Value{use}, true
	case *ssa.Extract:
		if _, result := use.Tuple.(*ssa.Call); result {
			return nil, false // which of several results, only who asks knows
		}
	}
	if use, ok := use.(ssa.Value); ok {
		if step, _, _ := r.step(use); step == 0 || r.Steps&step == 0 {
			return nil, false
		}
		return []ssa.Value{use}, true
	}
	return nil, false
}

// Loads returns what is loaded from a variable, also by literals that capture it; all tells
// that nothing else is done with it but storing.
func Loads(cell ssa.Value) (loads []ssa.Value, all bool) {
	all = true
	for _, use := range *cell.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp:
			loads = append(loads, use)
		case *ssa.MakeClosure:
			inner, only := Loads(use.Fn.(*ssa.Function).FreeVars[slices.Index(use.Bindings, cell)])
			loads, all = append(loads, inner...), all && only
		case *ssa.Store:
			all = all && use.Addr == cell
		case *ssa.DebugRef:
		default:
			all = false
		}
	}
	return loads, all
}

// Extracted returns what is taken out of a tuple as its index-th part.
func Extracted(tuple ssa.Value, index int) []ssa.Value {
	var parts []ssa.Value
	for use := range blocks.Uses(tuple) {
		if part, ok := use.(*ssa.Extract); ok && part.Index == index {
			parts = append(parts, part)
		}
	}
	return parts
}

// Elements returns the elements that a loop over a map or string takes out of it.
func Elements(over *ssa.Range) []ssa.Value {
	var elements []ssa.Value
	for next := range blocks.UsesOf[*ssa.Next](over) {
		elements = append(elements, Extracted(next, 2)...)
	}
	return elements
}

// handed is what the functions call v that a call hands it to.
func (r Relation) handed(v ssa.Value, call ssa.CallInstruction) (onward []ssa.Value, followed bool) {
	if r.Steps&Given == 0 || r.Calls == nil {
		return nil, false
	}
	targets := r.Calls.Callees(call)
	for i, operand := range kubeapi.Operands(call.Common()) {
		if operand != v {
			continue
		}
		for _, fn := range targets.Funcs {
			if i < len(fn.Params) {
				onward = append(onward, fn.Params[i])
			}
		}
	}
	return onward, len(onward) > 0 && targets.Closed
}

// returned is what the callers of a function call v that it returns.
func (r Relation) returned(v ssa.Value, ret *ssa.Return) (onward []ssa.Value, followed bool) {
	if r.Steps&Returned == 0 || r.Calls == nil {
		return nil, false
	}
	for i, result := range ret.Results {
		if result != v {
			continue
		}
		for _, call := range r.Calls.Callers(ret.Parent()) {
			if call, ok := call.(*ssa.Call); ok && len(ret.Results) == 1 {
				onward = append(onward, call)
			} else if ok {
				onward = append(onward, Extracted(call, i)...)
			}
		}
	}
	return onward, len(onward) > 0 && len(r.Calls.OnlyCallers(ret.Parent())) > 0
}

package handlers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// repeats reports whether a function that loses a tombstone does nothing with an object
// but what it has done when that was last updated: it is called for updates, too, and
// works only if the object says something certain, such as that a job is complete. The
// object in a tombstone is the one of the last update.
func (f *finder) repeats(l *Loss, updates []ssa.Value) bool {
	if l.Filtered != nil || l.Sent != nil || l.Instr == nil || l.Where != "" && l.Kind != Refused {
		return false
	}
	fn := l.Instr.Parent()
	shared := slices.ContainsFunc(updates, func(v ssa.Value) bool {
		return slices.ContainsFunc(f.graph.FuncsOf(v).Funcs, func(update *ssa.Function) bool { return f.leadsTo(update, fn, 0) })
	})
	return shared && f.asksBefore(fn, l.Instr) && f.onlyCalls(l.Chain)
}

// maxShared bounds the calls between an update function and what it has in common with
// the delete function.
const maxShared = 2

func (f *finder) leadsTo(from, to *ssa.Function, depth int) bool {
	for call := range blocks.InstrsOf[*ssa.Call](from) {
		for _, target := range f.graph.Callees(call).Funcs {
			if target == to || depth < maxShared && f.leadsTo(target, to, depth+1) {
				return true
			}
		}
	}
	return false
}

// onlyCalls reports whether the functions on the way do nothing that lasts but to call
// the next one.
func (f *finder) onlyCalls(chain []ssa.CallInstruction) bool {
	return !slices.ContainsFunc(chain, func(call ssa.CallInstruction) bool {
		return blocks.Any(call.Parent(), func(instr ssa.Instruction) bool { return instr != ssa.Instruction(call) && f.isWork(instr) })
	})
}

// asksBefore reports whether all that a function does that lasts stands behind a question
// about what the object says that an instruction takes out of an event.
func (f *finder) asksBefore(fn *ssa.Function, object ssa.Instruction) bool {
	found := false
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if instr == object || !f.isWork(instr) || isQuestion(instr) {
				continue
			}
			found = true
			asked := false
			for branch := range blocks.Above(block) {
				asked = asked || isAbout(branch.Cond, object, 0)
			}
			if !asked {
				return false
			}
		}
	}
	return found
}

// isQuestion reports whether an instruction calls something that answers yes or no.
func isQuestion(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	return ok && types.Identical(call.Type().Underlying(), types.Typ[types.Bool])
}

// isAbout reports whether a condition is computed from what an object holds beside its
// metadata.
func isAbout(v ssa.Value, object ssa.Instruction, depth int) bool {
	if depth > maxDepth || v == nil {
		return false
	}
	if field, ok := v.(*ssa.FieldAddr); ok && comesFrom(field.X, object) {
		return !kubeapi.IsObjectMeta(field.Type()) // by its name and labels, it is chosen
	}
	instr, ok := v.(ssa.Instruction)
	if !ok || instr == object {
		return false
	}
	return slices.ContainsFunc(instr.Operands(nil), func(operand *ssa.Value) bool {
		return *operand != nil && isAbout(*operand, object, depth+1)
	})
}

// comesFrom reports whether a value is the object itself.
func comesFrom(v ssa.Value, object ssa.Instruction) bool {
	of := values.Relation{Steps: values.Same | values.Merged, More: func(v ssa.Value) []ssa.Value {
		if first, ok := v.(*ssa.Extract); ok && first.Index == 0 {
			return []ssa.Value{first.Tuple}
		}
		return nil
	}}
	return of.Any(v, func(v ssa.Value) bool { return v == object.(ssa.Value) })
}

package handlers

import (
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isAboutOne reports whether all that a handler does that lasts is done for the object of one
// name only. That just this one is deleted while the watch is down, and not made again, is not worth
// a thought.
func (m *machine) isAboutOne(l *Loss) bool {
	return l.Filtered == nil && l.Sent == nil && l.Handler.Fn != nil && m.worksForOne(l.Handler.Fn, 0)
}

func (m *machine) worksForOne(fn *ssa.Function, depth int) bool {
	found := false
	for instr := range blocks.Instrs(fn) {
		if !m.isWork(instr) || isQuestion(instr) {
			continue
		}
		if !isNamed(instr.Block()) && !m.handsToOne(instr, depth) {
			return false
		}
		found = true
	}
	return found
}

// handsToOne reports whether an instruction calls one function of the package, which works for the
// object of one name only.
func (m *machine) handsToOne(instr ssa.Instruction, depth int) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok || depth >= maxShared {
		return false
	}
	targets := m.graph.Callees(call)
	return targets.Closed && len(targets.Funcs) == 1 && len(targets.External) == 0 && m.worksForOne(targets.Funcs[0], depth+1)
}

// isNamed reports whether a block runs only where the name of an object was found to be a certain
// one, here or by a function that was asked.
func isNamed(block *ssa.BasicBlock) bool {
	for branch, held := range blocks.Decided(block) {
		if tellsName(values.Asked(branch.Cond, held)) {
			return true
		}
	}
	return false
}

// tellsName reports whether an answer to a question tells the name of an object.
func tellsName(question ssa.Value, answer bool) bool {
	switch question := question.(type) {
	case *ssa.BinOp:
		return comparesName(question) && (question.Op == token.EQL) == answer
	case *ssa.Call:
		callee := question.Call.StaticCallee()
		return answer && callee != nil && len(callee.Blocks) > 0 && asksName(callee)
	}
	return false
}

// asksName reports whether a function answers yes for an object of a certain name only.
func asksName(fn *ssa.Function) bool {
	found := false
	for ret := range blocks.Returns(fn) {
		if len(ret.Results) != 1 {
			return false
		}
		for result, from := range answers(ret) {
			if value, ok := kubeapi.ConstBool(result); ok && !value {
				continue
			}
			compare, ok := result.(*ssa.BinOp)
			if !isNamed(from) && !(ok && tellsName(compare, true)) {
				return false
			}
			found = true
		}
	}
	return found
}

// answers yields what a return with one result may hand back, with the blocks that it comes from.
func answers(ret *ssa.Return) iter.Seq2[ssa.Value, *ssa.BasicBlock] {
	return func(yield func(ssa.Value, *ssa.BasicBlock) bool) {
		merged, ok := ret.Results[0].(*ssa.Phi)
		if !ok {
			yield(ret.Results[0], ret.Block())
			return
		}
		for i, result := range merged.Edges {
			if !yield(result, merged.Block().Preds[i]) {
				return
			}
		}
	}
}

// comparesName reports whether the name of one object is compared with something that no object
// is called.
func comparesName(v *ssa.BinOp) bool {
	return (v.Op == token.EQL || v.Op == token.NEQ) && kubeapi.IsString(v.X.Type()) && isNameOfObject(v.X) != isNameOfObject(v.Y)
}

// isNameOfObject reports whether a value is the name in an object's metadata, or that with its
// namespace.
func isNameOfObject(v ssa.Value) bool {
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	if field := calls.FieldAt(v); field != nil {
		return field.Name() == "Name" && isOfMetadata(v)
	}
	call, _ := calls.CallOf(v)
	if call == nil {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && callee.Name() == "GetName" && callee.Signature().Recv() != nil || answersKey(call)
}

func isOfMetadata(field ssa.Value) bool {
	var of types.Type
	switch field := field.(type) {
	case *ssa.FieldAddr:
		of = field.X.Type()
	case *ssa.Field:
		of = field.X.Type()
	}
	return of != nil && kubeapi.IsObjectMeta(kubeapi.Deref(of))
}

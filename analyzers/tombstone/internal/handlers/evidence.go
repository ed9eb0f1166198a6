package handlers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isMissed reports whether it is seen that something stays wrong if a handler is not
// called: it takes something away, clears it, or hands on what the event is about. One
// that only wakes a loop, notes what it has seen or calls back without an object is
// made up for by the next event.
func (m *machine) isMissed(l *Loss) bool {
	h := l.Handler
	if l.Filtered != nil {
		h = *l.Filtered
	}
	if h.Fn == nil || l.Sent != nil || l.Where != "" {
		return true // in another package, or on the other side of a queue
	}
	return m.takesAway(h.Fn, make(map[*ssa.Function]bool))
}

func (m *machine) takesAway(fn *ssa.Function, seen map[*ssa.Function]bool) bool {
	if seen[fn] || len(seen) > maxLooked {
		return false
	}
	seen[fn] = true
	return blocks.Any(fn, func(instr ssa.Instruction) bool { return m.isWork(instr) && m.isDeed(instr, seen) })
}

// maxLooked bounds the functions that are looked through for one handler.
const maxLooked = 40

// isDeed reports whether work that an instruction does is of the kind that nothing makes
// up for.
func (m *machine) isDeed(instr ssa.Instruction, seen map[*ssa.Function]bool) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		return isZero(instr.Val)
	case *ssa.MapUpdate:
		return isZero(instr.Value)
	case *ssa.Send:
		return tells(instr.X)
	case *ssa.Select:
		return slices.ContainsFunc(instr.States, func(s *ssa.SelectState) bool { return s.Send != nil && tells(s.Send) })
	case ssa.CallInstruction:
		return m.isDeedCall(instr, seen)
	}
	return false
}

func (m *machine) isDeedCall(call ssa.CallInstruction, seen map[*ssa.Function]bool) bool {
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin || kubeapi.IsCancel(common.Value.Type()) {
		return true // delete, close, clear
	}
	if adds(call) {
		return true // also under one key for all: what is gone is to be made again
	}
	if callee := kubeapi.Callee(common); callee != nil && kubeapi.IsCleaningName(callee.Name()) {
		return true
	}
	if targets := m.graph.Callees(call).Funcs; len(targets) > 0 {
		return slices.ContainsFunc(targets, func(fn *ssa.Function) bool { return m.takesAway(fn, seen) })
	}
	_, args := kubeapi.Args(common)
	return slices.ContainsFunc(args, handsOn)
}

// handsOn reports whether an argument tells which object an event is about.
func handsOn(v ssa.Value) bool {
	if kubeapi.IsContext(v.Type()) {
		return false
	}
	v = kubeapi.Unboxed(v)
	_, isConst := v.(*ssa.Const)
	return !isConst && (kubeapi.IsString(v.Type()) || types.IsInterface(v.Type()) || kubeapi.IsObject(v.Type()) || isRecord(v.Type()))
}

// isRecord reports whether a type is a struct with fields, such as a key or a request.
func isRecord(t types.Type) bool {
	s, ok := kubeapi.Deref(t).Underlying().(*types.Struct)
	return ok && s.NumFields() > 0
}

// tells reports whether what is sent says more than that something has happened.
func tells(v ssa.Value) bool {
	if _, isConst := v.(*ssa.Const); isConst {
		return false
	}
	s, isStruct := v.Type().Underlying().(*types.Struct)
	return !isStruct || s.NumFields() > 0
}

// isZero reports whether a value clears what it is stored into.
func isZero(v ssa.Value) bool {
	if load, ok := v.(*ssa.UnOp); ok {
		if literal, ok := load.X.(*ssa.Alloc); ok {
			return len(calls.StoredInto(literal)) == 0
		}
	}
	return literals.IsZero(v)
}

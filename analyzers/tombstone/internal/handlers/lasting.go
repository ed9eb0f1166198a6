package handlers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// lasting is whether a function does anything lasting.
type lasting uint8

const (
	notAsked lasting = iota
	beingAsked
	nothing
	something
)

// works reports whether a function may do anything that lasts, whatever it is
// called with.
func (m *machine) works(fn *ssa.Function) bool {
	switch m.lasting[fn] {
	case nothing, beingAsked:
		return false
	case something:
		return true
	}
	m.lasting[fn] = beingAsked
	answer := nothing
	if len(fn.Blocks) == 0 || blocks.Any(fn, m.isWork) {
		answer = something
	}
	m.lasting[fn] = answer
	return answer == something
}

func (m *machine) isWork(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		_, captured := instr.Addr.(*ssa.FreeVar)
		if m.isPlainFunction(instr.Val) {
			return false // a functional option sets what is run
		}
		return captured || !calls.IsOwn(instr.Addr)
	case *ssa.MapUpdate:
		return !calls.IsOwn(instr.Map)
	case *ssa.Send:
		return true
	case *ssa.Select:
		return slices.ContainsFunc(instr.States, func(s *ssa.SelectState) bool { return s.Dir == types.SendOnly })
	case ssa.CallInstruction:
		return m.callWorks(instr)
	}
	return false
}

// isPlainFunction reports whether a value is a function for sure that has captured
// nothing.
func (m *machine) isPlainFunction(v ssa.Value) bool {
	if !kubeapi.IsFuncType(v.Type()) {
		return false
	}
	targets := m.graph.FuncsOf(v)
	return targets.Closed && len(targets.Funcs) > 0 && len(targets.External) == 0 &&
		!slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool { return len(fn.FreeVars) > 0 })
}

func (m *machine) callWorks(call ssa.CallInstruction) bool {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		switch builtin.Name() {
		case "delete", "close", "clear":
			return len(common.Args) > 0 && !calls.IsOwn(common.Args[0])
		}
		return false
	}
	callee := kubeapi.Callee(common)
	targets := m.graph.Callees(call)
	if (callee == nil || callee.Pkg() != m.pass.Pkg || len(targets.Funcs) == 0) && kubeapi.LeavesNothing(common) {
		return m.callbacksWork(common)
	}
	if slices.ContainsFunc(targets.Funcs, m.works) {
		return true
	}
	if len(targets.Funcs) > 0 && len(targets.External) == 0 {
		return false
	}
	if callee == nil && len(targets.External) == 1 {
		callee = targets.External[0].Func
		if kubeapi.LeavesNothingFunc(callee) {
			return false
		}
	}
	if callee != nil && callee.Pkg() != nil && callee.Pkg() != m.pass.Pkg && m.pass.ImportObjectFact(callee, new(Idle)) {
		return m.callbacksWork(common)
	}
	return true
}

// callbacksWork reports whether a function that a call is given does anything
// lasting.
func (m *machine) callbacksWork(common *ssa.CallCommon) bool {
	return slices.ContainsFunc(common.Args, func(arg ssa.Value) bool {
		return kubeapi.IsFuncType(arg.Type()) && slices.ContainsFunc(m.graph.FuncsOf(arg).Funcs, m.works)
	})
}

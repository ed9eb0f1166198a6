package permissions

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/reads"
)

// switches are the flags of a package, by the variable, the call or the field.
type switches struct {
	gatherer *gatherer
	flags    map[any]kubeapi.Switch
}

// field tells fields apart, whatever struct they are of.
type field struct {
	of    types.Type
	index int
}

func (g *gatherer) switches() *switches {
	if g.flags != nil {
		return g.flags
	}
	s := &switches{g, make(map[any]kubeapi.Switch)}
	g.flags = s
	g.calls.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		if flag, ok := kubeapi.SwitchOf(call.Common()); ok {
			var variable any = call
			if flag.Variable != nil {
				variable = s.variable(flag.Variable)
			}
			s.flags[variable] = flag
		}
	})
	return s
}

// variable identifies the variable at an address.
func (s *switches) variable(addr ssa.Value) any {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return field{addr.X.Type().Underlying().(*types.Pointer).Elem(), addr.Field}
	case *ssa.FreeVar:
		if bound := s.gatherer.calls.Binding(addr); bound != nil {
			return bound
		}
	}
	return addr
}

// flag returns the flag that a value is read from; one without a name if there is none.
func (s *switches) flag(v ssa.Value) kubeapi.Switch {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		return s.flags[s.variable(load.X)]
	}
	return kubeapi.Switch{}
}

// of returns the boolean flag that a value is and that is off unless it is given, or empty.
func (s *switches) of(v ssa.Value) string {
	if flag := s.flag(v); !flag.IsText && !flag.On {
		return flag.Name
	}
	return ""
}

// isOn reports whether a value is true unless somebody has it otherwise: it is that constant, a flag
// that has it as its default, or a field in which the package stores it.
func (s *switches) isOn(v ssa.Value) bool {
	if isTrue(v) || s.flag(v).On {
		return true
	}
	field := calls.LoadedField(v)
	return field != nil && slices.ContainsFunc(s.gatherer.calls.Stored(field), isTrue)
}

func isTrue(v ssa.Value) bool {
	on, known := kubeapi.ConstBool(v)
	return known && on
}

// around returns the flag without which an instruction is not reached, or empty.
func (s *switches) around(instr ssa.Instruction) string {
	for branch, holds := range blocks.Decided(instr.Block()) {
		if name := s.of(branch.Cond); name != "" && holds {
			return name
		}
		if name := s.otherText(branch.Cond, holds); name != "" {
			return name
		}
	}
	return ""
}

// otherText returns the flag that has another text than its default where a condition holds, or does
// not; empty for none.
func (s *switches) otherText(cond ssa.Value, holds bool) string {
	compared, ok := cond.(*ssa.BinOp)
	if !ok || compared.Op != token.EQL && compared.Op != token.NEQ || (compared.Op == token.EQL) != holds {
		return ""
	}
	text, known := kubeapi.ConstString(compared.Y)
	if flag := s.flag(compared.X); known && flag.IsText && flag.Text != text {
		return flag.Name
	}
	return ""
}

// types returns the types whose methods the package calls only where a flag is given that is not by
// default, by their names as of [reads.Use.Of], with that flag: controllers that it sets up on demand.
func (s *switches) types() map[string]string {
	found := make(map[string]string)
	s.gatherer.calls.Each(func(instr ssa.Instruction) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return
		}
		callee := kubeapi.Callee(call.Common())
		if callee == nil || callee.Pkg() == nil || !s.gatherer.calls.SameModule(callee.Pkg()) {
			return
		}
		if of := reads.TypeOfMethod(callee.Signature()); of != "" {
			flag := s.around(instr)
			if known, seen := found[of]; seen && known != flag {
				flag = ""
			}
			found[of] = flag
		}
	})
	return found
}

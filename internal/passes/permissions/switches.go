package permissions

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// switches are the flags of a package that are off unless they are given.
type switches struct {
	gatherer *gatherer
	names    map[any]string // by the variable, the call or the field
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
	s := &switches{g, make(map[any]string)}
	g.flags = s
	g.calls.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		if flag, ok := kubeapi.SwitchOf(call.Common()); ok {
			if flag.Variable == nil {
				s.names[call] = flag.Name
			} else {
				s.names[s.variable(flag.Variable)] = flag.Name
			}
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

// of returns the flag that a value is, or empty.
func (s *switches) of(v ssa.Value) string {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return ""
	}
	return s.names[s.variable(load.X)]
}

// around returns the flag without which an instruction is not reached, or empty.
func (s *switches) around(instr ssa.Instruction) string {
	for branch, holds := range blocks.Decided(instr.Block()) {
		if name := s.of(branch.Cond); name != "" && holds {
			return name
		}
	}
	return ""
}

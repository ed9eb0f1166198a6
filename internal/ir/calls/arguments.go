package calls

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Argument is what a parameter is given at a call.
type Argument struct {
	Value ssa.Value
	Call  ssa.CallInstruction
}

// ArgumentOf returns what a call gives a parameter of the function that it runs;
// nil if that cannot be told.
func ArgumentOf(call ssa.CallInstruction, p *ssa.Parameter) ssa.Value {
	operands := kubeapi.Operands(call.Common())
	if index := slices.Index(p.Parent().Params, p); index >= 0 && len(operands) == len(p.Parent().Params) {
		return operands[index]
	}
	return nil
}

// Arguments returns what the calls in this package give a parameter. closed tells
// that nobody else calls the function: that it is a literal, not exported, or in a
// program.
func (g *Graph) Arguments(p *ssa.Parameter) (args []Argument, closed bool) {
	fn := p.Parent()
	closed = fn.Parent() != nil || fn.Object() != nil && (!fn.Object().Exported() || g.Pkg.Pkg.Name() == "main")
	for _, call := range g.Callers(fn) {
		value := ArgumentOf(call, p)
		if value == nil {
			closed = false
			continue
		}
		args = append(args, Argument{value, call})
	}
	return args, closed
}

// Values returns the arguments without the calls.
func Values(args []Argument) []ssa.Value {
	values := make([]ssa.Value, len(args))
	for i, arg := range args {
		values[i] = arg.Value
	}
	return values
}

// Results returns what the functions of this package that a call may run return as
// their index-th result; closed tells that it runs no others.
func (g *Graph) Results(call ssa.CallInstruction, index int) (values []ssa.Value, closed bool) {
	targets := g.Callees(call)
	for _, fn := range targets.Funcs {
		for ret := range blocks.Returns(fn) {
			if index < len(ret.Results) {
				values = append(values, ret.Results[index])
			}
		}
	}
	return values, targets.Closed
}

// Package effect tells what a comparison of objects is good for: whether writes depend on what
// it says, and whether something else beside it makes that no matter.
package effect

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/semanticequal/internal/evidence"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// In tells it of the comparisons of a package, by what is put into what the program builds.
type In struct{ *evidence.In }

// DecidesWrite reports whether the answer of a comparison, or of a call, may decide if
// objects are written: here, or where a function that returns it is called.
func (c In) DecidesWrite(asked ssa.Instruction) bool {
	return c.Decides(asked, func(ssa.Instruction, objects.Write) bool { return true })
}

// Decides is the same for the writes that count.
func (c In) Decides(asked ssa.Instruction, counts func(ssa.Instruction, objects.Write) bool) bool {
	return c.decides(asked, counts, 0)
}

func (c In) decides(asked ssa.Instruction, counts func(ssa.Instruction, objects.Write) bool, depth int) bool {
	fn := asked.Parent()
	if blocks.Any(fn, func(instr ssa.Instruction) bool { return blocks.Follows(asked, instr) && c.writes(instr, counts) }) {
		return true
	}
	return depth <= maxDepth && returnsBool(fn) && slices.ContainsFunc(c.Sums.Calls.Callers(fn), func(caller ssa.CallInstruction) bool { return c.decides(caller, counts, depth+1) })
}

// writes reports whether an instruction writes an object in a way that counts.
func (c In) writes(instr ssa.Instruction, counts func(ssa.Instruction, objects.Write) bool) bool {
	_, ok := instr.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(c.Sums.Events(instr), func(e objects.Event) bool { return e.Kind == objects.Written && counts(instr, e.Write) })
}

// maxDepth bounds how far calls are followed.
const maxDepth = 3

// DifferInType reports whether two values were put into interfaces that have
// different types: such are never equal.
func DifferInType(x, y ssa.Value) bool {
	a, ok := x.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	b, ok := y.(*ssa.MakeInterface)
	return ok && !types.Identical(a.X.Type(), b.X.Type()) && !kubeapi.IsTypeParam(a.X.Type()) && !kubeapi.IsTypeParam(b.X.Type()) &&
		(kubeapi.IsOfKubernetes(a.X.Type()) || kubeapi.IsOfKubernetes(b.X.Type()))
}

func returnsBool(fn *ssa.Function) bool { return kubeapi.AnyIs(fn.Signature.Results(), kubeapi.IsBool) }

package reconcileclient

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/repeats"
)

// rare reports whether something is built only now and then: each way from an
// entry point to it is, somewhere, behind a failure or behind a state of an object
// that comes once in its life, its deletion.
func (c *checker) rare(site *repeats.Site) bool {
	if behindRarity(site.Instr) {
		return true
	}
	if c.usual == nil {
		c.usual = c.clients.Without(func(call ssa.CallInstruction) bool { return behindRarity(call) })
	}
	return !c.usual[site.Path.Fn]
}

// behindRarity reports whether a branch that has been taken wherever an
// instruction runs asks for a failure or a deletion.
func behindRarity(at ssa.Instruction) bool {
	for branch, held := range blocks.Decided(at.Block()) {
		if asksForRarity(branch.Cond, held) {
			return true
		}
	}
	return false
}

// asksForRarity reports whether a condition that holds, or does not, says that
// something has failed or that an object is being deleted.
func asksForRarity(cond ssa.Value, holds bool) bool {
	if values.TellsDeleting(cond, holds) {
		return true
	}
	asked, is := values.Asked(cond, holds)
	switch c := asked.(type) {
	case *ssa.BinOp:
		if c.Op != token.EQL && c.Op != token.NEQ {
			return false
		}
		x, ok := comparedWithNil(c)
		return ok && (c.Op == token.NEQ) == is && kubeapi.IsError(x.Type())
	case *ssa.Call:
		_, args := kubeapi.Args(c.Common())
		return is && kubeapi.Callee(c.Common()) != nil && len(args) > 0 && kubeapi.IsError(args[0].Type()) // a certain kind of error
	}
	return false
}

func comparedWithNil(c *ssa.BinOp) (ssa.Value, bool) {
	for _, pair := range [2][2]ssa.Value{{c.X, c.Y}, {c.Y, c.X}} {
		if none, ok := pair[1].(*ssa.Const); ok && none.IsNil() {
			return pair[0], true
		}
	}
	return nil, false
}

package updateunread

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// cleared finds resourceVersions that are taken off what CreateOrUpdate has read, in the
// function that it is given.
func (c *checker) cleared(u *objects.Unit) {
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil {
			continue
		}
		op, ok := c.ClientOp(call.Common())
		if !ok || op.Mutate == nil || op.Object == nil || op.Verb != kubeapi.Update {
			continue
		}
		if mutate := paths.Literal(c.Calls, op.Mutate); mutate != nil {
			if at := c.clearedIn(mutate, c.Resolve.Place(op.Object).Object); at != nil {
				c.tellCleared(at, op.Object)
			}
		}
	}
}

// clearedIn returns the instruction by which a function takes the resourceVersion off an
// object, if it gives it no other one.
func (c *checker) clearedIn(mutate *ssa.Function, o paths.Object) ssa.Instruction {
	var found ssa.Instruction
	for instr := range blocks.Instrs(mutate) {
		value, of := kubeapi.VersionSet(instr)
		if of == nil || !c.MayBe(c.Resolve.Place(of).Object, o) {
			continue
		}
		if text, known := kubeapi.ConstString(value); !known || text != "" {
			return nil
		}
		found = instr
	}
	return found
}

func (c *checker) tellCleared(at ssa.Instruction, object ssa.Value) {
	f := rule.Finding{
		Category: noResourceVersion,
		Message:  "what CreateOrUpdate has read loses its resourceVersion: updates of custom resources fail, others overwrite what was written meanwhile; leave it on",
	}
	if kind := kubeapi.KindBehind(object); !c.report.Strict() && (kind == nil || kubeapi.UpdatesUnread(kind)) {
		f.Harm = rule.Hygiene // as it is with all that need not be read
	}
	f.Pos, f.End = at.Pos(), at.Pos()
	if set, ok := at.(*ssa.Call); ok {
		f.Pos, f.End = syntax.Span(c.pass.Files, set)
	}
	c.report.Report(f)
}

package duplicatecreate

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/duplicatecreate/internal/lists"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// maxCallers bounds how far callers are followed.
const maxCallers = 4

// remembered judges a creation that no list of the kind decides about, but the status of
// another object, which is written only afterwards. If that fails, or is not seen yet, the
// next round makes another one.
func (c *checker) remembered(call *ssa.Call, kind *types.Named, object ssa.Value) {
	var fns []*ssa.Function
	var branch *ssa.If
	var owner *types.Named
	var write ssa.Instruction
	var at ssa.CallInstruction = call
	for range maxCallers {
		fns = append(fns, at.Parent())
		if branch == nil {
			branch, owner = c.statusAsked(at, kind)
		}
		if branch != nil {
			before, after := c.statusWrites(at, owner)
			if before != nil {
				return // what is about to be made is stored first
			}
			if write = after; write != nil {
				break
			}
		}
		callers := c.sums.Calls.Callers(at.Parent())
		if len(callers) != 1 {
			break
		}
		at = callers[0]
	}
	maker, _ := calls.CallOf(c.sums.Resolve.Place(object).Object.Root)
	if write == nil || c.mayFind(fns, kind, maker) || c.care.ExcusedIn(fns, kind) {
		return
	}
	related := []analysis.RelatedInformation{
		{Pos: branch.Cond.Pos(), Message: "the status decides here"},
		{Pos: write.Pos(), Message: "the status is stored here"},
	}
	if maker != nil {
		if at := c.names.Where(maker); at.IsValid() {
			related = append(related, analysis.RelatedInformation{Pos: at, Message: "it is named here"})
		}
	}
	pos, end := syntax.Span(c.pass.Files, call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: generatedName, Related: related,
		Message: wording.Fit(func(name func(string) string) string {
			return "another " + name(kind.Obj().Name()) + " is made if the status that tells of this one is not stored, or not seen yet: its name is new each time; derive one that stays the same"
		}),
	})
}

// statusAsked returns a branch that keeps a function from a creation, as a part of an
// object's status has it, and that object's kind: one of the module, and not what is created.
func (c *checker) statusAsked(call ssa.CallInstruction, created *types.Named) (found *ssa.If, owner *types.Named) {
	madeOf := values.Relation{Calls: c.sums.Calls, More: func(v ssa.Value) []ssa.Value {
		if variable, ok := v.(*ssa.Alloc); ok {
			return calls.StoredInto(variable)
		}
		return values.Operands(v)
	}}
	for branch := range blocks.InstrsOf[*ssa.If](call.Parent()) {
		if lists.IsErrorTest(branch.Cond) || !keepsFrom(branch, call) {
			continue
		}
		if madeOf.Any(branch.Cond, func(v ssa.Value) bool {
			field, ok := v.(*ssa.FieldAddr)
			if !ok {
				return false
			}
			place := c.sums.Resolve.Place(field)
			if place.Kind == nil || place.Kind == created || place.Aspect() != kubeapi.Status || !c.sums.Calls.SameModule(place.Kind.Obj().Pkg()) {
				return false
			}
			owner = place.Kind
			return true
		}) {
			return branch, owner
		}
	}
	return nil, nil
}

// keepsFrom reports whether a call is made after one answer to a branch, and not after the
// other.
func keepsFrom(branch *ssa.If, call ssa.CallInstruction) bool {
	succs := branch.Block().Succs
	return blocks.Reaches(succs[0], call.Block()) != blocks.Reaches(succs[1], call.Block())
}

// statusWrites returns a request that stores the status of a kind, in the function of a
// call: one that is made before it, and one after it.
func (c *checker) statusWrites(call ssa.CallInstruction, kind *types.Named) (before, after ssa.Instruction) {
	for instr := range blocks.Instrs(call.Parent()) {
		if instr == ssa.Instruction(call) || !slices.ContainsFunc(c.sums.Events(instr), func(e objects.Event) bool {
			return e.WrittenTo(kubeapi.StatusEndpoint) && (e.Place.Kind == kind || e.Arg != nil && kubeapi.KindOfValue(e.Arg) == kind)
		}) {
			continue
		}
		switch {
		case blocks.Precedes(instr, call):
			before = instr
		case blocks.Follows(call, instr):
			after = instr
		}
	}
	return before, after
}

// mayFind reports whether one of some functions lists objects of a kind, or gets one from a
// call that is not the one which makes it.
func (c *checker) mayFind(fns []*ssa.Function, kind *types.Named, maker *ssa.Call) bool {
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call *ssa.Call) bool {
			return c.lists.Cached(call, kind) || c.lists.Anywhere(call, kind) || call != maker && lists.ReturnsMany(call.Type(), kind)
		})
	})
}

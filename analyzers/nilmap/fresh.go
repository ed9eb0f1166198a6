package nilmap

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// madeAt returns the nodes at which a function makes an object, empty or by a
// literal.
func madeAt(u *objects.Unit, s slot) []*paths.Node {
	alloc, ok := s.object.Root.(*ssa.Alloc)
	if !ok || s.object.Path != "" || s.kind == nil || alloc.Parent() != u.Fn || kubeapi.KindOf(alloc.Type().(*types.Pointer).Elem()) == nil {
		return nil
	}
	for _, ref := range *alloc.Referrers() {
		if store, ok := ref.(*ssa.Store); ok && store.Addr == alloc && !literals.IsZero(store.Val) {
			return nil // a copy
		}
	}
	return u.Graph.At(alloc)
}

// leavesNil reports whether an instruction stores a literal around a map that does
// not have it.
func leavesNil(instr ssa.Instruction, stored, path []string) bool {
	store, ok := instr.(*ssa.Store)
	return ok && len(stored) < len(path) && literals.LeavesOut(store.Val, path[len(stored)])
}

// helps reports whether a call may make the map of an object that it is handed:
// it goes to another package, or to a function that stores something there.
func (c *checker) helps(n *paths.Node, s slot) bool {
	call := n.Call()
	if call == nil || n.Joins != nil {
		return false
	}
	targets := c.Calls.Callees(call).Funcs
	for i, operand := range kubeapi.Operands(call.Common()) {
		if !kubeapi.IsObject(operand.Type()) && !kubeapi.IsObjectMeta(operand.Type()) || !c.sameObject(operand, s) {
			continue
		}
		if len(targets) == 0 && !isGetter(kubeapi.Callee(call.Common())) {
			return true
		}
		for _, fn := range targets {
			if i < len(fn.Params) && c.storesInto(fn, fn.Params[i], s.path) {
				return true
			}
		}
	}
	return false
}

func isGetter(fn *types.Func) bool {
	return fn != nil && fn.Signature().Recv() != nil && strings.HasPrefix(fn.Name(), "Get")
}

// storesInto reports whether a function stores a map into a parameter's field, or
// hands the parameter on.
func (c *checker) storesInto(fn *ssa.Function, p *ssa.Parameter, path []string) bool {
	for instr := range blocks.Instrs(fn) {
		store, ok := instr.(*ssa.Store)
		if !ok {
			continue
		}
		place := asSlot(c.Resolve.Place(store.Addr))
		k := min(len(place.path), len(path))
		if place.object.Root == ssa.Value(p) && slices.Equal(place.path[:k], path[:k]) {
			return true
		}
	}
	return false
}

// tellFresh words the finding about a store into an object that was made without the
// map.
func (c *checker) tellFresh(from *paths.Node, s store) {
	f := rule.Finding{Pos: s.at.Pos(), Category: metadata, Fix: c.fix(s.at)}
	if s.slot.isData() {
		f.Category = data
	}
	f.Message = fmt.Sprintf("this panics: the %s is made without %s, and the map is nil; make it before this entry is stored", wording.Tail(s.slot.kind.Obj().Name(), 40), s.slot.field())
	if call, ok := s.at.(ssa.CallInstruction); ok {
		f.Pos, f.End = syntax.Span(c.pass.Files, call)
	}
	if from.Instr.Pos().IsValid() {
		f.Related = []analysis.RelatedInformation{{Pos: from.Instr.Pos(), Message: "the object is made here"}}
	}
	for _, call := range s.through {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: call.Pos(), Message: "it is handed over here"})
	}
	c.report.Report(f)
}

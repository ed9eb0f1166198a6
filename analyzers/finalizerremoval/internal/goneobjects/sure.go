package goneobjects

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isSure reports whether the next try is sure to delete an object again that the last one has deleted:
// on the way to it nothing asks for objects of the kind, and nothing that the last try may
// have noted decides. way has the calls that lead to the deletion, which is the last one.
func (u *unit) isSure(way []*ssa.Call) bool {
	deletion := way[len(way)-1]
	callee := kubeapi.Callee(deletion.Common())
	kind := u.DeletedKind(deletion)
	if kind == nil || callee == nil || callee.Pkg() == nil || u.Calls.SameModule(callee.Pkg()) {
		return false // a wrapper may take NotFound for done
	}
	for _, call := range way {
		if u.dependsOnState(call) || u.asksBefore(call, kind, 0) {
			return false
		}
	}
	return !u.callersAsk(paths.Outermost(way[0].Parent()), kind, 0)
}

// callersAsk reports whether a function of the package that leads to another one asks for objects of
// a kind before, or decides by what is there.
func (u *unit) callersAsk(fn *ssa.Function, kind *types.Named, depth int) bool {
	return depth < subject.MaxCallers && slices.ContainsFunc(u.Calls.Callers(fn), func(call ssa.CallInstruction) bool {
		plain, ok := call.(*ssa.Call)
		return ok && (u.dependsOnState(plain) || u.asksBefore(plain, kind, 0)) || u.callersAsk(paths.Outermost(call.Parent()), kind, depth+1)
	})
}

// asksBefore reports whether objects of a kind are read before a call of its function.
func (u *unit) asksBefore(call *ssa.Call, kind *types.Named, depth int) bool {
	in := u.Of(paths.Outermost(call.Parent()))
	for n, read := range in.Graph.Calls() {
		if (&unit{in}).reads(read, kind, depth) && slices.ContainsFunc(in.Graph.At(call), func(at *paths.Node) bool { return n != at && in.Graph.Reaches(n, at) }) {
			return true
		}
	}
	return false
}

// reads reports whether a call reads objects of a kind, itself or in a function of the package.
func (u *unit) reads(call *ssa.Call, kind *types.Named, depth int) bool {
	if op, ok := u.ClientOp(call.Common()); ok {
		read := op.Kind
		if op.Object != nil {
			read = kubeapi.Named(kubeapi.Unboxed(op.Object).Type()) // of an object, or a list of them
		}
		return op.Verb.Reads() && (read == nil || strings.TrimSuffix(read.Obj().Name(), "List") == kind.Obj().Name())
	}
	if callee := kubeapi.Callee(call.Common()); callee != nil && (kubeapi.IsListerGet(callee) || kubeapi.IsListerList(callee) || kubeapi.IsTypedList(callee)) {
		return true
	}
	return depth < subject.MaxChain/2 && slices.ContainsFunc(u.Helpers(call), func(helper *subject.Function) bool {
		for _, inner := range helper.Graph.Calls() {
			if (&unit{helper}).reads(inner, kind, depth+1) {
				return true
			}
		}
		return false
	})
}

// dependsOnState reports whether a call is made only where something says so that may be different for
// the next try: the status of an object, or what a function says that can ask others.
func (u *unit) dependsOnState(call *ssa.Call) bool {
	for branch := range blocks.Decided(call.Block()) {
		if u.isState(branch.Cond, 0) {
			return true
		}
	}
	return false
}

func (u *unit) isState(v ssa.Value, depth int) bool {
	for end := range (values.Relation{Calls: u.Calls, Steps: values.Merged | values.Held | values.Converted}).Ends(v) {
		instr, ok := end.(ssa.Instruction)
		if !ok || kubeapi.IsError(end.Type()) {
			continue
		}
		if u.Resolve.Place(end).Aspect()&kubeapi.Status != 0 {
			return true
		}
		if asked, ok := instr.(*ssa.Call); ok && subject.CanAsk(asked) {
			return true
		}
		if depth < subject.MaxChain && slices.ContainsFunc(instr.Operands(nil), func(op *ssa.Value) bool { return *op != nil && u.isState(*op, depth+1) }) {
			return true
		}
	}
	return false
}

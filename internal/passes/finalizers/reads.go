package finalizers

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Read is a place where a deletion timestamp is dereferenced although some
// path to it has not established that there is one.
type Read struct {
	Node   *paths.Node
	Object paths.Object
	// Pointer is the timestamp that is dereferenced, or nil if Via does it.
	Pointer ssa.Value
	// Via is the helper that dereferences the timestamp of its argument.
	Via *types.Func
	// Arg is the value through which the helper has the object.
	Arg ssa.Value
}

// Reads returns the places of a unit that panic if an object is not being
// deleted, and that a path reaches which has not looked.
func (i *Finalizers) Reads(u *objects.Unit) []Read {
	all := i.allReads(u)
	var found []Read
	for n, read := range all {
		if i.unguarded(u, read, all[:n]) {
			found = append(found, read)
		}
	}
	return found
}

// allReads returns the dereferences of deletion timestamps in a unit, guarded
// or not.
func (i *Finalizers) allReads(u *objects.Unit) []Read {
	var found []Read
	for _, n := range u.Graph.Nodes {
		if n.Joins != nil {
			continue
		}
		switch instr := n.Instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.MUL && isTimePointer(instr.X.Type()) {
				found = i.appendRead(found, n, instr.X)
			}
		case *ssa.FieldAddr:
			if isTimePointer(instr.X.Type()) {
				found = i.appendRead(found, n, instr.X)
			}
		case *ssa.Go:
		case ssa.CallInstruction:
			if _, isDefer := instr.(*ssa.Defer); isDefer && !n.Deferred {
				continue
			}
			found = append(found, i.readsOfCall(n, instr)...)
		}
	}
	return found
}

func (i *Finalizers) appendRead(found []Read, n *paths.Node, pointer ssa.Value) []Read {
	if o, ok := i.timestamp(pointer); ok {
		return append(found, Read{Node: n, Object: o, Pointer: pointer})
	}
	return found
}

func (i *Finalizers) readsOfCall(n *paths.Node, call ssa.CallInstruction) []Read {
	operands := kubeapi.Operands(call.Common())
	var found []Read
	for _, f := range i.known.At(call) {
		for _, param := range f.Reads {
			if param < len(operands) {
				found = append(found, Read{
					Node: n, Object: i.objectOf(operands[param]), Via: kubeapi.Callee(call.Common()), Arg: operands[param],
				})
			}
		}
	}
	return found
}

func isTimePointer(t types.Type) bool {
	_, isPointer := t.Underlying().(*types.Pointer)
	return isPointer && kubeapi.IsNamed(t, "k8s.io/apimachinery/pkg/apis/meta/v1", "Time")
}

// objectOf is the object that v, an object or its metadata, belongs to.
// Metadata that is passed by value is that of the parameter.
func (i *Finalizers) objectOf(v ssa.Value) paths.Object {
	o := i.Place(v).Object
	if alloc, ok := o.Root.(*ssa.Alloc); ok && o.Path == "" && kubeapi.IsObjectMeta(alloc.Type()) {
		if stored := calls.StoredInto(alloc); len(stored) == 1 {
			if param, ok := stored[0].(*ssa.Parameter); ok {
				return paths.Object{Root: param}
			}
		}
	}
	return o
}

// unguarded reports whether a path reaches a read without having established
// that the object is being deleted; an earlier read has, since it would have
// panicked.
func (i *Finalizers) unguarded(u *objects.Unit, read Read, earlier []Read) bool {
	tests := i.Tests(u, read.Object)
	if slices.ContainsFunc(tests, func(t Test) bool { return remembered(t.Value) }) {
		return false
	}
	_, found := u.Graph.Search(nil, 0, Watch(tests), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		switch {
		case Known(tests, known) == Deleting:
			return stage, paths.Prune
		case n == read.Node:
			return stage, paths.Found
		case slices.ContainsFunc(earlier, func(r Read) bool { return r.Node == n && r.Object == read.Object }),
			i.mayAsk(n, read.Object):
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return found
}

// remembered reports whether the answer of a test goes where a path's
// knowledge does not reach: into a field, a map, a function.
func remembered(answer ssa.Value) bool {
	for ref := range blocks.Uses(answer) {
		switch ref := ref.(type) {
		case *ssa.Store:
			if _, isVariable := ref.Addr.(*ssa.Alloc); !isVariable {
				return true
			}
		case *ssa.MapUpdate, *ssa.Send:
			return true
		case *ssa.Call:
			if !kubeapi.IsHarmless(kubeapi.Callee(ref.Common())) {
				return true
			}
		}
	}
	return false
}

// mayAsk reports whether a node's call may look at whether the object is being
// deleted, and say so in a way that [Finalizers.Tests] does not understand.
func (i *Finalizers) mayAsk(n *paths.Node, o paths.Object) bool {
	call, ok := n.Instr.(*ssa.Call)
	if !ok || n.Joins != nil {
		return false
	}
	common := call.Common()
	if _, isClient := i.Summaries.ClientOp(common); isClient {
		return false
	}
	targets := i.known.At(call)
	for index, operand := range kubeapi.Operands(common) {
		t := operand.Type()
		holds := kubeapi.IsObject(t) || kubeapi.IsObjectMeta(t) || kubeapi.HasMethod(t, "GetDeletionTimestamp")
		if !holds || !i.Summaries.MayBe(i.objectOf(operand), o) {
			continue
		}
		if slices.ContainsFunc(targets, func(f *Summary) bool { return slices.Contains(f.Asks, index) }) {
			return true
		}
		if !i.tellsAll(call) && kubeapi.AnyIs(common.Signature().Results(), kubeapi.IsBool) && !neverAsks(kubeapi.Callee(common)) {
			return true
		}
	}
	return false
}

// tellsAll reports whether the facts tell all of a call's callee.
func (i *Finalizers) tellsAll(call *ssa.Call) bool {
	if targets := i.Summaries.Calls.Callees(call); targets.Closed || len(targets.Funcs) > 0 && len(targets.External) == 0 {
		return true
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil || call.Common().IsInvoke() {
		return false
	}
	return i.Summaries.Calls.SameModule(callee.Pkg())
}

// neverAsks lists functions outside the user's modules that take an object and
// do not look at its deletion timestamp.
func neverAsks(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "sigs.k8s.io/controller-runtime/pkg/controller/controllerutil", "k8s.io/apimachinery/pkg/apis/meta/v1", "reflect":
		return true
	}
	return false
}

// readParams finds the parameters whose deletion timestamp a function
// dereferences without having looked, and those whose it looks at.
func (i *Finalizers) readParams(u *objects.Unit) (reads, asks []int) {
	add := func(list []int, o paths.Object) []int {
		if n := paramOf(u.Fn, o); n >= 0 && !slices.Contains(list, n) {
			list = append(list, n)
		}
		return list
	}
	for _, read := range i.Reads(u) {
		reads = add(reads, read.Object)
	}
	for _, t := range i.testsOf(u) {
		asks = add(asks, t.Object)
	}
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil {
			continue
		}
		operands := kubeapi.Operands(call.Common())
		for _, f := range i.known.At(call) {
			for _, param := range f.Asks {
				if param < len(operands) {
					asks = add(asks, i.objectOf(operands[param]))
				}
			}
		}
	}
	return reads, asks
}

// LooksAtDeletion reports whether a unit tests whether some object is being
// deleted, itself or in a function that it calls.
func (i *Finalizers) LooksAtDeletion(u *objects.Unit) bool {
	if len(i.testsOf(u)) > 0 {
		return true
	}
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
		call, ok := n.Instr.(*ssa.Call)
		return ok && slices.ContainsFunc(i.known.At(call), func(f *Summary) bool { return len(f.Asks) > 0 })
	})
}

// Package pointerkeys finds pointers that are added as keys, so that nothing is deduplicated.
package pointerkeys

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// checker is what this package asks about.
type checker struct{ *subject.Checker }

// Report finds items that are pointers which no two events have in common.
func Report(in *subject.Checker) {
	c := &checker{in}
	adds := make(map[*ssa.Function][]*queues.Op)
	for _, op := range c.Queues.Ops {
		switch op.Verb {
		case kubeapi.QueueAdd, kubeapi.QueueAddAfter, kubeapi.QueueAddRateLimited:
			if op.Item != nil && op.Helper == nil && !subject.InQueue(op.Instr.Parent()) {
				adds[op.Instr.Parent()] = append(adds[op.Instr.Parent()], op)
			}
		}
	}
	if len(adds) == 0 {
		return
	}
	var found []*added
	byOp := make(map[*queues.Op]*added)
	for _, entry := range c.Entries.Entries {
		if entry.Kind != kubeapi.EventHandler {
			continue
		}
		c.Entries.Walk(entry, c.Ordinary, func(path *entrypoints.Path) {
			for _, op := range adds[path.Fn] {
				if byOp[op] == nil {
					byOp[op] = &added{op: op}
					found = append(found, byOp[op])
				}
				byOp[op].from(path)
			}
		})
	}
	for _, a := range found {
		c.pointer(a, found)
	}
}

// added is a place that adds an item for events.
type added struct {
	op *queues.Op
	// first is a way to it, update one from an update; deletes tells that
	// deletions lead to it, and nothing else if only is set.
	first, update *entrypoints.Path
	deletes, only bool
}

func (a *added) from(path *entrypoints.Path) {
	deletion := false
	switch path.Entry.What {
	case "UpdateFunc", "OnUpdate", "Update":
		if a.update == nil {
			a.update = path
		}
	case "DeleteFunc", "OnDelete", "Delete":
		deletion = true
	}
	a.only = deletion && (a.first == nil || a.only)
	a.deletes = a.deletes || deletion
	if a.first == nil {
		a.first = path
	}
}

func (c *checker) pointer(a *added, all []*added) {
	op := a.op
	if fresh := c.fresh(c.argument(a.first, unboxed(op.Item))); fresh != nil {
		if name, ok := keyStruct(fresh); ok {
			c.reportPointer(a.first, op, fmt.Sprintf("each event adds a new *%s as a key", name),
				fmt.Sprintf("add the %s itself", name))
		}
		return
	}
	// Only updates bring the same object again, with another pointer.
	if a.update == nil {
		return
	}
	item := c.argument(a.update, unboxed(op.Item))
	kind := objectKind(a.update, item)
	if kind == "" || !fromCache(item) || deleting(op.Instr) {
		return
	}
	// A queue of what has gone: the last state is nowhere else.
	for _, other := range all {
		if !a.deletes && other.only && c.Queues.MayBeSame(other.op.Queue, op.Queue) &&
			objectKind(other.first, c.argument(other.first, unboxed(other.op.Item))) != "" {
			return
		}
	}
	c.reportPointer(a.update, op, fmt.Sprintf("each update adds another %s as a key", kind),
		"add its namespace and name")
}

// objectKind names an item that is a pointer to an object, or is empty.
func objectKind(path *entrypoints.Path, item ssa.Value) string {
	if ptr, ok := types.Unalias(item.Type()).(*types.Pointer); ok && kubeapi.IsObject(ptr) {
		return "*" + kubeapi.Named(ptr).Obj().Name()
	}
	if isObjectOf(path, item) {
		return item.Name()
	}
	return ""
}

// fresh returns the variable that an item points to, if it is made anew, here
// or by a function that does nothing but that.
func (c *checker) fresh(item ssa.Value) *ssa.Alloc {
	switch item := item.(type) {
	case *ssa.Alloc:
		for _, ref := range *item.Referrers() {
			switch ref := ref.(type) {
			case *ssa.MapUpdate:
				return nil
			case *ssa.Store:
				if ref.Val == item && subject.OutOfSight(ref.Addr) {
					return nil
				}
			}
		}
		return item
	case *ssa.Call:
		targets := c.Graph.Callees(item)
		if len(targets.Funcs) != 1 || !targets.Closed {
			return nil
		}
		var made *ssa.Alloc
		for ret := range blocks.Returns(targets.Funcs[0]) {
			alloc, ok := ret.Results[0].(*ssa.Alloc)
			if !ok || len(ret.Results) != 1 || made != nil || keptBy(alloc) {
				return nil
			}
			made = alloc
		}
		return made
	}
	return nil
}

// keptBy reports whether a new struct is stored somewhere: it may be found
// again.
func keptBy(alloc *ssa.Alloc) bool {
	return slices.ContainsFunc(*alloc.Referrers(), func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.FieldAddr, *ssa.Return:
			return false
		case *ssa.Store:
			return ref.Val == alloc
		}
		return true
	})
}

// argument follows a parameter back along the path to what the caller hands
// over.
func (c *checker) argument(path *entrypoints.Path, item ssa.Value) ssa.Value {
	for at := path; at.Prev != nil; at = at.Prev {
		param, ok := item.(*ssa.Parameter)
		if !ok || param.Parent() != at.Fn || at.Edge.How != entrypoints.Called {
			break
		}
		arg := calls.ArgumentOf(at.Edge.Site, param)
		if arg == nil {
			break
		}
		item = unboxed(arg)
	}
	return item
}

// unboxed strips interfaces.
func unboxed(v ssa.Value) ssa.Value {
	boxed := values.Relation{Steps: values.Converted, Until: func(v ssa.Value) bool { return !types.IsInterface(v.Type()) }}
	return boxed.End(v)
}

// keyStruct reports whether a variable is a new struct of names and numbers:
// one that is a key as it is. A struct with pointers in it may be a message, and
// each of these is meant.
func keyStruct(alloc *ssa.Alloc) (name string, ok bool) {
	named := kubeapi.Named(alloc.Type())
	if !alloc.Heap || named == nil {
		return "", false
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok || !ofNames(s, 0) {
		return "", false
	}
	return named.Obj().Name(), true
}

func ofNames(s *types.Struct, depth int) bool {
	if s.NumFields() == 0 || depth > 3 {
		return false
	}
	for f := range s.Fields() {
		switch u := f.Type().Underlying().(type) {
		case *types.Basic:
		case *types.Struct:
			if !ofNames(u, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isObjectOf reports whether v is what the event handler itself is handed.
func isObjectOf(path *entrypoints.Path, v ssa.Value) bool {
	return slices.ContainsFunc(path.Entry.Objects(), func(object *ssa.Parameter) bool { return object == v })
}

// fromCache reports whether an object is what the event has brought: a
// parameter, an assertion of one, or a field of an event.
func fromCache(v ssa.Value) bool {
	of := values.Relation{Steps: values.Same | values.Selected | values.Address}
	switch v := of.End(v).(type) {
	case *ssa.Parameter:
		return true
	case *ssa.Alloc:
		return v.Comment != "" && len(*v.Referrers()) > 0 && isSpilled(v)
	}
	return false
}

// deleting reports whether an instruction runs only for objects that are being
// deleted, or depending on that: what is added then is the last state.
func deleting(at ssa.Instruction) bool {
	for branch := range blocks.Decided(at.Block()) {
		if readsDeletion(branch.Cond) {
			return true
		}
	}
	return false
}

func readsDeletion(v ssa.Value) bool {
	of := values.Relation{Steps: values.Computed | values.Taken, More: func(v ssa.Value) []ssa.Value {
		if call, ok := v.(*ssa.Call); ok {
			return kubeapi.Operands(call.Common())
		}
		return nil
	}}
	return of.Any(v, kubeapi.IsDeletionTime)
}

// isSpilled reports whether a variable is a parameter that was stored.
func isSpilled(alloc *ssa.Alloc) bool {
	for store := range blocks.Stores(alloc) {
		_, param := store.Val.(*ssa.Parameter)
		return param
	}
	return false
}

func (c *checker) reportPointer(path *entrypoints.Path, op *queues.Op, what, remedy string) {
	pos, end := syntax.Span(c.Pass.Files, op.Instr)
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.PointerKey,
		Message: fmt.Sprintf("the queue grows with each event, since nothing is deduplicated: %s; %s", what, remedy),
		Related: path.Related(),
	})
}

package emptykind

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

type objectID = paths.Object

// read is a place where the kind or version of an object is read.
type read struct {
	instr  ssa.Instruction
	object ssa.Value
	value  ssa.Value // what is read
	field  string    // as users know it: "Kind", "APIVersion", "GroupVersionKind()"
}

// readOf recognises reads of TypeMeta's fields and calls of its methods.
func (c *checker) readOf(instr ssa.Instruction) (read, bool) {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if field, ok := instr.X.(*ssa.FieldAddr); ok && instr.Op == token.MUL {
			if meta, ok := field.X.(*ssa.FieldAddr); ok && kubeapi.IsTypeMeta(meta.Type()) {
				return read{instr, meta.X, instr, calls.FieldOf(field.X.Type(), field.Field).Name()}, true
			}
		}
	case *ssa.Field:
		if meta, ok := instr.X.(*ssa.Field); ok && kubeapi.IsTypeMeta(meta.Type()) {
			return read{instr, meta.X, instr, calls.FieldOf(instr.X.Type(), instr.Field).Name()}, true
		}
	case *ssa.Call:
		if fn := kubeapi.Callee(instr.Common()); fn != nil && fn.Name() == "GroupVersionKind" && len(instr.Call.Args) <= 1 {
			recv, _ := kubeapi.Args(instr.Common())
			if object := described(recv); object != nil {
				return read{instr, object, instr, "GroupVersionKind()"}, true
			}
		}
	}
	return read{}, false
}

// described returns the object whose kind the receiver of GroupVersionKind
// describes: its TypeMeta, or what GetObjectKind returned.
func described(recv ssa.Value) ssa.Value {
	if call, ok := calls.Behind(recv).(*ssa.Call); ok {
		fn := kubeapi.Callee(call.Common())
		if fn == nil || fn.Name() != "GetObjectKind" {
			return nil
		}
		recv, _ = kubeapi.Args(call.Common())
		if recv != nil && kubeapi.IsObject(recv.Type()) {
			return recv
		}
	}
	if meta, ok := recv.(*ssa.FieldAddr); ok && kubeapi.IsTypeMeta(meta.Type()) {
		return meta.X
	}
	return nil
}

// maySetIn reports whether a function may set the kind of an object: itself, or
// by handing the object to somebody; of a literal, also those around it.
func (c *checker) maySetIn(fn *ssa.Function, object ssa.Value) bool {
	o := c.sums.Resolve.Place(object).Object
	for ; fn != nil; fn = fn.Parent() {
		for instr := range blocks.Instrs(fn) {
			if slices.ContainsFunc(c.sums.Events(instr), func(e objects.Event) bool { return c.sets(instr, e, o) }) || c.setsKind(instr, o) {
				return true
			}
		}
	}
	return false
}

// sets reports whether an event may change the type of an object.
func (c *checker) sets(instr ssa.Instruction, e objects.Event, o objectID) bool {
	if !c.sums.MayBe(e.Place.Object, o) {
		return false
	}
	_, isCall := instr.(ssa.CallInstruction)
	switch e.Kind {
	case objects.Mutated:
		return len(e.Place.Sub) > 0 && e.Place.Sub[0] == "TypeMeta"
	case objects.Touched, objects.Refreshed:
		if alloc, ok := o.Root.(*ssa.Alloc); ok && isCall && c.readLive(alloc, o.Path) != nil && c.isClientCall(instr) {
			return false
		}
		return isCall && (len(e.Place.Sub) == 0 || e.Place.Sub[0] == "TypeMeta")
	}
	return false
}

// isClientCall reports whether an instruction is a call of a client, which leaves the
// kind as it was.
func (c *checker) isClientCall(instr ssa.Instruction) bool {
	_, ok := c.sums.ClientOp(instr.(ssa.CallInstruction).Common())
	return ok
}

// setsKind recognises SetGroupVersionKind on the object.
func (c *checker) setsKind(instr ssa.Instruction, o objectID) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	fn := kubeapi.Callee(call.Common())
	if fn == nil || fn.Name() != "SetGroupVersionKind" && fn.Name() != "FromAPIVersionAndKind" {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	object := described(recv)
	if object == nil {
		object = recv
	}
	return object != nil && c.sums.MayBe(c.sums.Resolve.Place(object).Object, o)
}

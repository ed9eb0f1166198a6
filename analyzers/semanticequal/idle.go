package semanticequal

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// idle are the reasons why a comparison of two types does no harm where it stands: nothing
// would be written less often if the types were the same.
var idle = []func(c *checker, call *ssa.Call, x, y ssa.Value) bool{
	(*checker).isWithoutEffect,
	(*checker).isJustChanged,
	(*checker).isMovedOn,
	(*checker).isAfterCreate,
	(*checker).isStamped,
	(*checker).isChangedByOthers,
	(*checker).isOfWholes,
}

// isIdle reports whether one of the reasons holds.
func (c *checker) isIdle(call *ssa.Call, x, y ssa.Value) bool {
	return slices.ContainsFunc(idle, func(holds func(*checker, *ssa.Call, ssa.Value, ssa.Value) bool) bool { return holds(c, call, x, y) })
}

// isWithoutEffect reports whether no write depends on what a comparison says, or all that do
// ask again.
func (c *checker) isWithoutEffect(call *ssa.Call, x, y ssa.Value) bool {
	return !tells(call) || !c.decides(call, func(write ssa.Instruction, _ objects.Write) bool { return !c.isAskedAgain(call, write, x, y) }, 0)
}

// isAfterCreate reports whether a comparison is reached only after something was created,
// here or on each way here: that is once, and what there is to write then is new.
//
//	if err := r.Create(ctx, service); err != nil { … }
//	if !reflect.DeepEqual(obj.Status, &v1.Status{Address: address(service)}) {
func (c *checker) isAfterCreate(call *ssa.Call, _, _ ssa.Value) bool {
	return c.sums.Calls.Everywhere(call, func(at *calls.Site) bool {
		return blocks.Any(at.Parent(), func(made ssa.CallInstruction) bool {
			op, ok := c.sums.ClientOp(made.Common())
			return ok && op.Verb == kubeapi.Create && op.Mutate == nil && blocks.Precedes(made, at.Instruction)
		})
	})
}

// isStamped reports whether one side has the time of the round in it: the two differ each
// time, whatever their types.
func (c *checker) isStamped(call *ssa.Call, x, y ssa.Value) bool {
	if c.evidence.TellsTime(x) || c.evidence.TellsTime(y) {
		return true
	}
	a, b := c.sums.Resolve.Place(x).Object, c.sums.Resolve.Place(y).Object
	of := values.Relation{Calls: c.sums.Calls, Steps: values.Local | values.Address}
	return blocks.Any(call.Parent(), func(store *ssa.Store) bool {
		if calls.FieldAt(store.Addr) == nil || !kubeapi.IsAPITime(store.Val.Type()) || !blocks.Precedes(store, call) {
			return false
		}
		stamped := c.sums.Resolve.Place(store.Addr).Object
		return (stamped == a || stamped == b) && of.Any(store.Val, tellsTime)
	})
}

// tellsTime reports whether a value is the present time, or a variable that has it alone.
func tellsTime(v ssa.Value) bool {
	if cell, ok := v.(*ssa.Alloc); ok {
		stored := calls.StoredInto(cell)
		return len(stored) == 1 && tellsTime(calls.Behind(stored[0]))
	}
	call, _ := calls.CallOf(v)
	return call != nil && kubeapi.TellsTime(kubeapi.Callee(call.Common()))
}

// isChangedByOthers reports whether a function that is handed in has changed one side before:
// what is left to write without it, only those tell who call this.
//
//	for _, change := range changes { change(updated) }
func (c *checker) isChangedByOthers(call *ssa.Call, x, y ssa.Value) bool {
	a, b := c.sums.Resolve.Place(x).Object, c.sums.Resolve.Place(y).Object
	return blocks.Any(call.Parent(), func(change *ssa.Call) bool {
		common := change.Common()
		if common.IsInvoke() || common.StaticCallee() != nil || !blocks.Follows(change, call) || c.sums.Calls.Callees(change).Closed {
			return false
		}
		return slices.ContainsFunc(common.Args, func(arg ssa.Value) bool {
			object := c.sums.Resolve.Place(arg).Object
			return kubeapi.IsPointer(arg.Type()) && (object == a || object == b)
		})
	})
}

// isOfWholes reports whether a whole object that was read is compared with one that was built,
// which has no UID and no version: they differ anyhow.
func (c *checker) isOfWholes(_ *ssa.Call, x, y ssa.Value) bool {
	kind := kubeapi.KindOf(x.Type())
	return kind != nil && kind == kubeapi.KindOf(y.Type()) && c.sides.Differ(x, y)
}

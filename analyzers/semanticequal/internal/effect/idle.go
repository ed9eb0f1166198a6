package effect

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
var idle = []func(c In, call *ssa.Call, x, y ssa.Value) bool{
	In.isWithoutEffect,
	In.isJustChanged,
	In.isMovedOn,
	In.isAfterCreate,
	In.isStamped,
	In.isChangedByOthers,
	In.isOfWholes,
}

// IsIdle reports whether one of the reasons holds.
func (c In) IsIdle(call *ssa.Call, x, y ssa.Value) bool {
	return slices.ContainsFunc(idle, func(holds func(In, *ssa.Call, ssa.Value, ssa.Value) bool) bool { return holds(c, call, x, y) })
}

// isWithoutEffect reports whether no write depends on what a comparison says, or all that do
// ask again.
func (c In) isWithoutEffect(call *ssa.Call, x, y ssa.Value) bool {
	return !tells(call) || !c.Decides(call, func(write ssa.Instruction, _ objects.Write) bool { return !c.isAskedAgain(call, write, x, y) })
}

// isAfterCreate reports whether a comparison is reached only after something was created,
// here or on each way here: that is once, and what there is to write then is new.
//
//	if err := r.Create(ctx, service); err != nil { … }
//	if !reflect.DeepEqual(obj.Status, &v1.Status{Address: address(service)}) {
func (c In) isAfterCreate(call *ssa.Call, _, _ ssa.Value) bool {
	return c.Sums.Calls.Everywhere(call, func(at *calls.Site) bool {
		return blocks.Any(at.Parent(), func(made ssa.CallInstruction) bool {
			op, ok := c.Sums.ClientOp(made.Common())
			return ok && op.Verb == kubeapi.Create && op.Mutate == nil && blocks.Precedes(made, at.Instruction)
		})
	})
}

// isStamped reports whether one side has the time of the round in it: the two differ each
// time, whatever their types.
func (c In) isStamped(call *ssa.Call, x, y ssa.Value) bool {
	if c.TellsTime(x) || c.TellsTime(y) {
		return true
	}
	a, b := c.Sums.Resolve.Place(x).Object, c.Sums.Resolve.Place(y).Object
	of := values.Relation{Calls: c.Sums.Calls, Steps: values.Local | values.Address}
	return blocks.Any(call.Parent(), func(store *ssa.Store) bool {
		if calls.FieldAt(store.Addr) == nil || !kubeapi.IsAPITime(store.Val.Type()) || !blocks.Precedes(store, call) {
			return false
		}
		stamped := c.Sums.Resolve.Place(store.Addr).Object
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
func (c In) isChangedByOthers(call *ssa.Call, x, y ssa.Value) bool {
	a, b := c.Sums.Resolve.Place(x).Object, c.Sums.Resolve.Place(y).Object
	return blocks.Any(call.Parent(), func(change *ssa.Call) bool {
		common := change.Common()
		if common.IsInvoke() || common.StaticCallee() != nil || !blocks.Follows(change, call) || c.Sums.Calls.Callees(change).Closed {
			return false
		}
		return slices.ContainsFunc(common.Args, func(arg ssa.Value) bool {
			object := c.Sums.Resolve.Place(arg).Object
			return kubeapi.IsPointer(arg.Type()) && (object == a || object == b)
		})
	})
}

// isOfWholes reports whether a whole object that was read is compared with one that was built,
// which has no UID and no version: they differ anyhow.
func (c In) isOfWholes(_ *ssa.Call, x, y ssa.Value) bool {
	kind := kubeapi.KindOf(x.Type())
	return kind != nil && kind == kubeapi.KindOf(y.Type()) && c.Sides.Differ(x, y)
}

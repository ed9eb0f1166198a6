// Package unpersisted finds changes of the status that stay in memory.
package unpersisted

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// Report finds an object that this function reads, whose status it sets,
// and that it neither writes nor lets anyone else write.
func Report(in *subject.Function) {
	u := &unit{in}
	told := make(map[paths.Object]bool)
	for _, set := range u.Sites {
		if told[set.Place.Object] || u.Copied[set.Place.Object] || !subject.IsStatus(set.Event) || subject.KindOf(set.Event) == nil || kubeapi.StatusField(subject.KindOf(set.Event)) == nil {
			continue
		}
		object := set.Place.Object
		if !u.isLocal(object) || !u.isRead(object) || u.leaves(object) || u.StatusUsed(set) || set.Via != nil && isFor(object, set.Node.Instr) {
			continue
		}
		told[object] = true
		harm := rule.Loss
		if u.IsOthers(set.Event) {
			harm = rule.Hygiene // its controller is elsewhere, and sets what counts
		}
		pos, end := u.Span(set.Node)
		u.Report.Report(rule.Finding{
			Pos: pos, End: end, Category: subject.NeverPersisted, Harm: harm,
			Message: fmt.Sprintf("status of the %s is set here and never stored: the object is neither written, returned nor handed on; call Status().Update",
				subject.TypeName(subject.KindOf(set.Event))),
		})
	}
}

// isFor reports whether an object is a copy that was made to be handed to one
// call: what that does with the copy's status is its own business.
func isFor(o paths.Object, call ssa.Instruction) bool {
	copied, ok := o.Root.(*ssa.Call)
	return ok && o.Path == "" && !slices.ContainsFunc(*copied.Referrers(), func(ref ssa.Instruction) bool { return ref != call })
}

// isLocal reports whether an object comes into being in this function.
func (u *unit) isLocal(o paths.Object) bool {
	if _, ok := o.Root.(*ssa.Alloc); ok {
		return o.Path == "" || o.Path[0] != '.' || o.Path == paths.Listed
	}
	call, _ := calls.CallOf(o.Root)
	if call == nil {
		return false
	}
	op, ok := u.ClientOp(call.Common())
	return ok && op.Verb == kubeapi.Get || kubeapi.IsDeepCopy(kubeapi.Callee(call.Common()))
}

// isRead reports whether an object was read from the API server here.
func (u *unit) isRead(o paths.Object) bool {
	if _, ok := o.Root.(*ssa.Alloc); !ok {
		return true // the result of a Get, or a copy
	}
	for _, s := range u.Sites {
		if s.Kind != objects.Refreshed || s.Place.Object.Root != o.Root {
			continue
		}
		if call, ok := s.Node.Instr.(ssa.CallInstruction); ok {
			if op, ok := u.ClientOp(call.Common()); ok && op.Verb.Reads() {
				return true
			}
		}
	}
	return false
}

// leaves reports whether an object, or anything that it is part of, is
// written, copied, returned, or goes out of sight.
func (u *unit) leaves(o paths.Object) bool {
	for _, s := range u.Sites {
		if s.Place.Object.Root != o.Root && !u.MayBe(s.Place.Object, o) {
			continue
		}
		switch s.Kind {
		case objects.Written, objects.HandedOff, objects.Copied, objects.Touched:
			return true
		}
	}
	for _, n := range u.Graph.Nodes {
		switch instr := n.Instr.(type) {
		case *ssa.MakeInterface:
			if u.isVariableOf(instr.X, o) {
				return true
			}
		case ssa.CallInstruction:
			if slices.ContainsFunc(instr.Common().Args, func(v ssa.Value) bool { return u.isVariableOf(v, o) }) {
				return true
			}
		case *ssa.Return:
			for _, v := range instr.Results {
				if p := u.Resolve.Place(v); p.Object.Root == o.Root || u.MayBe(p.Object, o) {
					return true
				}
			}
		case *ssa.Phi:
			// Merged with something else: not followed.
			for _, edge := range instr.Edges {
				if u.Resolve.Place(edge).Object.Root == o.Root && u.Resolve.Place(instr).Object != o {
					return true
				}
			}
		}
	}
	return false
}

// isVariableOf reports whether a value is the address of a variable that points to an object.
func (u *unit) isVariableOf(v ssa.Value, o paths.Object) bool {
	variable, ok := v.(*ssa.Alloc)
	return ok && slices.ContainsFunc(calls.StoredInto(variable), func(stored ssa.Value) bool {
		return kubeapi.IsPointer(stored.Type()) && u.Resolve.Place(stored).Object.Root == o.Root
	})
}

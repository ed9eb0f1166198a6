package statusupdate

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/summary"
)

// unpersisted finds an object that this function reads, whose status it sets,
// and that it neither writes nor lets anyone else write.
func (u *unit) unpersisted() {
	for _, set := range u.sites {
		if !isStatus(set.Event) || kindOf(set.Event) == nil || kubeapi.StatusField(kindOf(set.Event)) == nil {
			continue
		}
		object := set.Place.Object
		if !u.isLocal(object) || !u.isRead(object) || u.leaves(object) {
			continue
		}
		pos, end := u.span(set.node)
		u.report.Report(rule.Finding{
			Pos: pos, End: end, Category: neverPersisted,
			Message: fmt.Sprintf("status of %s is set here and never stored: the object is neither written, returned nor handed on, so the change is gone when the function returns; call Status().Update",
				typeName(kindOf(set.Event))),
		})
	}
}

// isLocal reports whether an object comes into being in this function.
func (u *unit) isLocal(o flow.Object) bool {
	switch root := o.Root.(type) {
	case *ssa.Alloc:
		return o.Path == "" || o.Path[0] != '.' || o.Path == ".Items.[]"
	case *ssa.Call:
		op, ok := u.ClientOp(root.Common())
		return ok && op.Verb == kubeapi.Get
	case *ssa.Extract:
		call, ok := root.Tuple.(*ssa.Call)
		if !ok {
			return false
		}
		op, ok := u.ClientOp(call.Common())
		return ok && op.Verb == kubeapi.Get
	}
	return false
}

// isRead reports whether an object was read from the API server here.
func (u *unit) isRead(o flow.Object) bool {
	if _, ok := o.Root.(*ssa.Alloc); !ok {
		return true // the result of a Get
	}
	for _, s := range u.sites {
		if s.Kind != summary.Refreshed || s.Place.Object.Root != o.Root {
			continue
		}
		if call, ok := s.node.Instr.(ssa.CallInstruction); ok {
			if op, ok := u.ClientOp(call.Common()); ok && op.Verb == kubeapi.Get {
				return true
			}
		}
	}
	return false
}

// leaves reports whether an object, or anything that it is part of, is
// written, copied, returned, or goes out of sight.
func (u *unit) leaves(o flow.Object) bool {
	for _, s := range u.sites {
		if s.Place.Object.Root != o.Root && !u.MayBe(s.Place.Object, o) {
			continue
		}
		switch s.Kind {
		case summary.Written, summary.HandedOff, summary.Copied, summary.Touched:
			return true
		}
	}
	for _, n := range u.graph.Nodes {
		switch instr := n.Instr.(type) {
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

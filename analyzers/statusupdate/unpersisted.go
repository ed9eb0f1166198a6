package statusupdate

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// unpersisted finds an object that this function reads, whose status it sets,
// and that it neither writes nor lets anyone else write.
func (u *unit) unpersisted() {
	told := make(map[paths.Object]bool)
	for _, set := range u.Sites {
		if told[set.Place.Object] || u.copied[set.Place.Object] || !isStatus(set.Event) || kindOf(set.Event) == nil || kubeapi.StatusField(kindOf(set.Event)) == nil {
			continue
		}
		object := set.Place.Object
		if !u.isLocal(object) || !u.isRead(object) || u.leaves(object) || u.statusUsed(set) || set.Via != nil && isFor(object, set.Node.Instr) {
			continue
		}
		told[object] = true
		pos, end := u.span(set.Node)
		u.report.Report(rule.Finding{
			Pos: pos, End: end, Category: neverPersisted,
			Message: fmt.Sprintf("status of the %s is set here and never stored: the object is neither written, returned nor handed on; call Status().Update",
				typeName(kindOf(set.Event))),
		})
	}
}

// isFor reports whether an object is a copy that was made to be handed to one
// call: what that does with the copy's status is its own business.
func isFor(o paths.Object, call ssa.Instruction) bool {
	copied, ok := o.Root.(*ssa.Call)
	if !ok || o.Path != "" || copied.Referrers() == nil {
		return false
	}
	for _, ref := range *copied.Referrers() {
		if _, debug := ref.(*ssa.DebugRef); ref != call && !debug {
			return false
		}
	}
	return true
}

// isLocal reports whether an object comes into being in this function.
func (u *unit) isLocal(o paths.Object) bool {
	switch root := o.Root.(type) {
	case *ssa.Alloc:
		return o.Path == "" || o.Path[0] != '.' || o.Path == ".Items.[]"
	case *ssa.Call:
		if fn := kubeapi.Callee(root.Common()); fn != nil && kubeapi.IsDeepCopy(fn) {
			return true
		}
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

// statusUsed reports whether the status that was set is looked at afterwards,
// or the object handed to anything that may: it may have been set for that.
func (u *unit) statusUsed(set objects.Site) bool {
	object := set.Place.Object
	_, found := u.Graph.Search(set.Node, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		switch instr := n.Instr.(type) {
		case *ssa.UnOp:
			if instr.Op != token.MUL {
				break
			}
			if p := u.Resolve.Place(instr.X); p.Object == object && p.Aspect() == kubeapi.Status && !u.onlyAppended(instr) {
				return stage, paths.Found
			}
		case ssa.CallInstruction:
			for _, v := range kubeapi.Operands(instr.Common()) {
				if u.Resolve.Place(v).Object == object && !(u.onlyChanges(instr, v) && !reachesClient(instr)) && !kubeapi.Logs(kubeapi.Callee(instr.Common())) {
					return stage, paths.Found
				}
			}
		}
		return stage, paths.Continue
	})
	return found
}

// reachesClient reports whether a call is given anything that may lead to a
// client, beside objects and plain data.
func reachesClient(call ssa.CallInstruction) bool {
	for _, v := range kubeapi.Operands(call.Common()) {
		t := v.Type()
		if kubeapi.IsClient(t) {
			return true
		}
		if named := kubeapi.Named(t); named != nil && kubeapi.HasClient(named) {
			return true
		}
	}
	return false
}

// onlyAppended reports whether a value is read only to be extended and stored
// again.
func (u *unit) onlyAppended(v ssa.Value) bool {
	for _, ref := range *v.Referrers() {
		call, ok := ref.(*ssa.Call)
		if !ok {
			return false
		}
		if builtin, ok := call.Common().Value.(*ssa.Builtin); !ok || builtin.Name() != "append" {
			return false
		}
	}
	return true
}

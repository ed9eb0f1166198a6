package unpersisted

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// never reports a removal that nothing stores, whichever way is taken.
func (u *unit) never(r subject.Change) bool {
	if u.DeepCopied(r.Object.Root) != nil && r.Object.Path == "" {
		return u.onCopy(r)
	}
	if !u.isOurs(r) {
		return false
	}
	kept := u.keepersAfter(r.Node, r.Object)
	if len(kept) == 0 {
		if u.hasStatusWrite(r) || !u.leftByCallers(r.Object, 0) {
			return false
		}
		what := "nothing stores this removal"
		if r.Via != nil {
			what = fmt.Sprintf("nothing stores that %s removes the finalizer", subject.CalleeName(r.Node.Call()))
		}
		u.reportNever(r, nil, what+"; Update or Patch it after")
		return true
	}
	if slices.ContainsFunc(kept, func(n *paths.Node) bool { return n != r.Node && len(u.RemovalsAt(n)) > 0 }) {
		return false // that one is looked at by itself
	}
	if read := u.readAgain(r); read != nil {
		u.reportNever(r, read, fmt.Sprintf("line %d reads it again before it is written, with the finalizer; remove it after the read", u.Line(read.Instr.Pos())))
		return true
	}
	if patch, copied := u.emptyPatch(r, kept); patch != nil {
		u.reportNever(r, patch, fmt.Sprintf("the patch on line %d starts from the copy that line %d makes after it; copy it before", u.Line(patch.Instr.Pos()), u.Line(copied.Pos())))
		return true
	}
	return false
}

// keepersAfter returns the nodes after another one at which an object may be stored, or gets
// out of sight with what has been changed.
func (u *unit) keepersAfter(from *paths.Node, o paths.Object) []*paths.Node {
	var found []*paths.Node
	after := func(n *paths.Node) bool { return u.Graph.Reaches(from, n) }
	for _, s := range u.Sites {
		if !u.MayBe(s.Place.Object, o) && !(s.Kind == objects.HandedOff && s.Place.Object.LeadsTo(o)) || s.Node != from && !after(s.Node) {
			continue
		}
		if isHandedOff(s.Event) || s.Kind == objects.Touched || s.Kind == objects.Copied || s.WrittenTo(kubeapi.MainEndpoint) {
			found = append(found, s.Node)
		}
	}
	for _, n := range u.Graph.Nodes {
		if n == from || !after(n) {
			continue
		}
		removed := slices.ContainsFunc(u.RemovalsAt(n), func(c subject.Change) bool { return u.MayBe(c.Object, o) })
		if removed || u.readsList(n, o) || u.Info.CarriesOn(u.Unit, n, o, finalizers.KindOf(o)) {
			found = append(found, n)
		}
	}
	return found
}

// readsList reports whether a node reads an object's list of finalizers: what comes of that may
// be a patch.
func (u *unit) readsList(n *paths.Node, o paths.Object) bool {
	if n.Joins != nil {
		return false
	}
	switch instr := n.Instr.(type) {
	case *ssa.UnOp:
		addr, ok := instr.X.(*ssa.FieldAddr)
		return ok && kubeapi.IsMetaField(addr, "Finalizers") && u.MayBe(u.Resolve.Place(addr).Object, o)
	case *ssa.Call:
		if !kubeapi.IsFinalizerGetter(kubeapi.Callee(instr.Common())) {
			return false
		}
		recv, _ := kubeapi.Args(instr.Common())
		return recv != nil && u.MayBe(u.Resolve.Place(recv).Object, o)
	}
	return false
}

// leftByCallers reports whether all that hand an object to this function, as far as it was
// handed in, do nothing with it afterwards that could store it.
func (u *unit) leftByCallers(o paths.Object, depth int) bool {
	if _, isParam := o.Root.(*ssa.Parameter); !isParam {
		return true
	}
	index, callers := u.ParamIndex(o), u.Calls.OnlyCallers(u.Fn)
	if index < 0 || len(callers) == 0 || depth >= subject.MaxCallers {
		return false
	}
	for _, call := range callers {
		operands := kubeapi.Operands(call.Common())
		caller := &unit{u.Of(paths.Outermost(call.Parent()))}
		nodes := caller.Graph.At(call)
		if _, plain := call.(*ssa.Call); !plain || index >= len(operands) || len(nodes) == 0 {
			return false
		}
		given := u.Resolve.Place(operands[index]).Object
		for _, n := range nodes {
			if !caller.isOurs(subject.Change{Change: finalizers.Change{Object: given}, Node: n}) || len(caller.keptByCaller(n, given)) > 0 || !caller.leftByCallers(given, depth+1) {
				return false
			}
		}
	}
	return true
}

// keptByCaller is keepersAfter of a call that hands an object to the function which is judged.
func (u *unit) keptByCaller(call *paths.Node, o paths.Object) []*paths.Node {
	return slices.DeleteFunc(u.keepersAfter(call, o), func(n *paths.Node) bool { return n == call })
}

func (u *unit) hasStatusWrite(r subject.Change) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		return s.WrittenTo(kubeapi.StatusEndpoint) && u.MayBe(s.Place.Object, r.Object) && u.Graph.Reaches(r.Node, s.Node)
	})
}

// readAgain returns the node at which the object is read again, if that is so on all ways from
// the removal to whatever could store it.
func (u *unit) readAgain(r subject.Change) *paths.Node {
	var read, written *paths.Node
	_, kept := u.Follow(u.Unit, u.Graph.Answered(r.Node), r.Object, nil, func(at objects.Here) paths.Step {
		if u.readsList(at.Node, r.Object) {
			return paths.Found
		}
		return paths.Continue
	}, func(s objects.Seen) paths.Step {
		switch {
		case s.Kind == objects.Refreshed && s.Certain && s.Node.Call() != nil && u.gets(s.Node.Call()):
			read = s.Node
			return paths.Prune
		case isHandedOff(s.Event), s.Kind == objects.Touched, s.Kind == objects.Copied, s.WrittenTo(kubeapi.MainEndpoint):
			return paths.Found
		}
		return paths.Continue
	})
	if kept || read == nil {
		return nil
	}
	for _, s := range u.Sites {
		if s.WrittenTo(kubeapi.MainEndpoint) && u.MayBe(s.Place.Object, r.Object) && u.Graph.Reaches(read, s.Node) {
			written = s.Node
		}
	}
	if written == nil {
		return nil
	}
	return read
}

// emptyPatch returns the patch that alone could store a removal, and the copy which it starts
// from, if that is made after it.
func (u *unit) emptyPatch(r subject.Change, kept []*paths.Node) (patch *paths.Node, copied *ssa.Call) {
	for _, n := range kept {
		if made, object, ok := u.PatchBase(n); ok && object == r.Object {
			patch, copied = n, made
		}
	}
	if patch == nil || slices.ContainsFunc(kept, func(n *paths.Node) bool { return n != patch && n.Instr != ssa.Instruction(copied) }) {
		return nil, nil
	}
	for _, n := range u.Graph.At(copied) {
		if !u.Graph.Reaches(r.Node, n) || u.Graph.Reaches(n, r.Node) {
			return nil, nil
		}
	}
	return patch, copied
}

// onCopy reports a removal from a copy that nothing looks at again, where the original is written.
func (u *unit) onCopy(r subject.Change) bool {
	original := u.Resolve.Place(u.DeepCopied(r.Object.Root)).Object
	var written *paths.Node
	for _, n := range u.Graph.Nodes {
		if n == r.Node || !u.Graph.Reaches(r.Node, n) {
			continue
		}
		if slices.ContainsFunc(n.Instr.Operands(nil), func(v *ssa.Value) bool {
			return *v != nil && u.MayBe(u.Resolve.Place(*v).Object, r.Object)
		}) {
			return false
		}
		if u.Stores(n, original) {
			written = n
		}
	}
	if written == nil || u.isCaptured(r.Object.Root) || len(u.keepersAfter(r.Node, r.Object)) > 0 {
		return false
	}
	u.reportNever(r, written, fmt.Sprintf("it is taken off a copy, and line %d writes the original, which still has it; write the copy", u.Line(written.Instr.Pos())))
	return true
}

// isCaptured reports whether something else may have a value: a literal, a variable, or what it was handed to.
func (u *unit) isCaptured(v ssa.Value) bool {
	call, _ := calls.CallOf(v)
	handed := slices.ContainsFunc(u.Sites, func(s objects.Site) bool { return isHandedOff(s.Event) && s.Place.Object.Root == v })
	return call == nil || handed || slices.ContainsFunc(*call.Referrers(), func(ref ssa.Instruction) bool {
		_, stored := ref.(*ssa.Store)
		return stored
	})
}

func (u *unit) reportNever(r subject.Change, at *paths.Node, why string) {
	f := rule.Finding{Category: subject.NotPersisted, Message: fmt.Sprintf("%s stays Terminating: %s", u.Object(r), why)}
	if at != nil {
		f.Related = []analysis.RelatedInformation{{Pos: at.Instr.Pos(), Message: "where the removal is lost"}}
	}
	u.Tell(r.Node, f)
}

// Package patches finds changes of the status that a patch leaves out, since its base was copied after them.
package patches

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// Report finds status patches that start from a copy which was made after the
// status had been set, so that there is no difference to send.
func Report(in *subject.Function) {
	u := &unit{in}
	for _, s := range u.Sites {
		if s.Kind != objects.Written || s.ViaCopy || s.Write.Verb != kubeapi.Patch || s.Write.Endpoint != kubeapi.StatusEndpoint {
			continue
		}
		if s.Via != nil {
			u.patchedByHelper(s)
		} else {
			u.patched(s)
		}
	}
}

// patched judges a status patch of this function.
func (u *unit) patched(patch objects.Site) {
	copied, object, ok := u.PatchBase(patch.Node)
	if !ok || object != patch.Place.Object {
		return
	}
	changes, sure := u.ChangedSince(u.Unit, copied, patch.Node, object)
	if !sure || !slices.ContainsFunc(u.Graph.At(copied), func(n *paths.Node) bool { return u.Graph.Reaches(n, patch.Node) }) {
		return
	}
	before := u.setBefore(object, func(s objects.Site) bool { return s.Node.Instr == ssa.Instruction(copied) && s.Kind == objects.Copied })
	before = slices.DeleteFunc(before, func(set objects.Site) bool {
		return slices.ContainsFunc(changes, func(c objects.Site) bool { return paths.Overlap(c.Place.Sub, set.Place.Sub) })
	})
	switch {
	case len(before) > 0 && (len(changes) == 0 || !u.storedLater(patch, object)):
		u.reportKeptOut(patch, before, fmt.Sprintf("this patch starts from the copy that line %d makes after it; copy it before", u.Line(copied.Pos())))
	case len(before) == 0 && len(changes) == 0 && u.mayBeSetBefore(object, 0) && !u.setsStatus(object, copied):
		u.reportEmpty(patch, copied)
	}
}

// patchedByHelper judges a call of a helper that stores what it changes itself,
// and no more.
func (u *unit) patchedByHelper(patch objects.Site) {
	object := patch.Place.Object
	var since []string
	for _, e := range u.At(patch.Node) {
		if !e.WrittenTo(kubeapi.StatusEndpoint) || !u.MayBe(e.Place.Object, object) {
			continue
		}
		if !e.Write.Rebased || e.Via != patch.Via {
			return
		}
		since = append(since, strings.Split(e.Write.Since, ",")...)
	}
	before := u.setBefore(object, func(s objects.Site) bool { return s.Node == patch.Node && s.Kind == objects.Written })
	before = slices.DeleteFunc(before, func(set objects.Site) bool {
		return slices.ContainsFunc(since, func(path string) bool { return path != "" && paths.Overlap(strings.Split(path, "."), set.Place.Sub) })
	})
	if len(before) > 0 && !u.storedLater(patch, object) {
		u.reportKeptOut(patch, before, fmt.Sprintf("%s patches only what it changes itself, after its own copy; give it the base", patch.Via.Name()))
	}
}

// setBefore returns the changes of an object's status that are in memory only
// where the path comes to what end tells.
func (u *unit) setBefore(object paths.Object, end func(objects.Site) bool) []objects.Site {
	var before []objects.Site
	for _, set := range u.Sites {
		if !subject.IsStatus(set.Event) || set.Place.Object != object {
			continue
		}
		_, found := u.Follow(u.Unit, set.Node, object, u.Changed(u.Unit, set.Node, set.Place), nil, func(s objects.Seen) paths.Step {
			switch {
			case s.Certain && end(s.Site):
				return paths.Found
			case s.Kind == objects.Copied:
				return paths.Prune // the copy has it, and may be what is written later
			case subject.Interrupts(s.Event):
				return paths.Prune
			}
			return paths.Continue
		})
		if found {
			before = append(before, set)
		}
	}
	return before
}

// mayBeSetBefore reports whether an object is one that was handed in, and the status may
// have been set by then: where all callers are known, one of them does so, or hands on
// what it got itself.
func (u *unit) mayBeSetBefore(object paths.Object, depth int) bool {
	param, ok := object.Root.(*ssa.Parameter)
	if !ok {
		return false
	}
	args, known := u.Calls.HandedOver(param)
	if !known || object.Path != "" || depth > subject.MaxCallers {
		return true
	}
	for i, call := range u.Calls.OnlyCallers(param.Parent()) {
		caller := &unit{u.Of(paths.Outermost(call.Parent()))}
		given := u.Resolve.Place(args[i]).Object
		if caller.mayBeSetBefore(given, depth+1) || slices.ContainsFunc(caller.Sites, func(s objects.Site) bool {
			return subject.IsStatus(s.Event) && u.MayBe(s.Place.Object, given)
		}) {
			return true
		}
	}
	return false
}

// setsStatus reports whether the unit changes the status of an object, or may, be
// it on another copy than the one that a patch starts from. The object's own
// methods do not count: they set what the patch leaves out, and store nothing.
func (u *unit) setsStatus(object paths.Object, base *ssa.Call) bool {
	return u.pointsInto(object) || slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		if !u.MayBe(s.Place.Object, object) {
			return false
		}
		switch s.Kind {
		case objects.Mutated:
			return s.Place.Aspect() == kubeapi.Status
		case objects.HandedOff, objects.Touched:
			return !u.ownMethod(s)
		case objects.Copied:
			return s.Node.Instr != ssa.Instruction(base)
		}
		return s.Kind != objects.Written
	})
}

// pointsInto reports whether a call is handed a part of the status and returns a pointer,
// which may be to an element of that, or is handed the object and returns something that sets
// what it manages, such as a set of conditions.
func (u *unit) pointsInto(object paths.Object) bool {
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
		call, ok := n.Instr.(*ssa.Call)
		if !ok {
			return false
		}
		manager := isManager(call.Type())
		if !manager && !kubeapi.IsPointer(call.Type()) {
			return false
		}
		return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
			place := u.Resolve.Place(v)
			return (place.Aspect() == kubeapi.Status || manager) && u.MayBe(place.Object, object)
		})
	})
}

// isManager reports whether a type has methods that set the conditions of an object.
func isManager(t types.Type) bool {
	return !kubeapi.IsObject(t) && kubeapi.HasAnyMethod(t, "SetTrue", "SetCondition", "SetConditions", "Set", "MarkTrue")
}

// ownMethod reports whether an event is a call of a method of its object.
func (u *unit) ownMethod(s objects.Site) bool {
	call := s.Node.Call()
	if call == nil {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	return recv != nil && u.Resolve.Place(recv).Object == s.Place.Object
}

// storedLater reports whether the status that a patch leaves out may be stored
// afterwards: here, or by who has the object then.
func (u *unit) storedLater(patch objects.Site, object paths.Object) bool {
	again, status := u.After(patch.Node, object, nil)
	if again || status != nil || u.StoredByCaller(object) {
		return true
	}
	for _, n := range u.Graph.Nodes {
		if ret, ok := n.Instr.(*ssa.Return); ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return u.MayBe(u.Resolve.Place(v).Object, object) }) {
			return true
		}
	}
	return false
}

func (u *unit) reportKeptOut(patch objects.Site, before []objects.Site, why string) {
	pos, end := u.Span(patch.Node)
	f := rule.Finding{
		Pos: pos, End: end, Category: subject.NotInPatch,
		Message: fmt.Sprintf("status set %s is never stored: %s", u.Where(before[0]), why),
	}
	for _, set := range before {
		f.Related = append(f.Related, u.Related(set, "the status is set here"))
	}
	u.Report.Report(f)
}

func (u *unit) reportEmpty(patch objects.Site, copied *ssa.Call) {
	pos, end := u.Span(patch.Node)
	u.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.NotInPatch, Harm: rule.Hygiene, // what changes it out of sight is not seen
		Message: fmt.Sprintf("status set before is never stored: this patch is always empty, as line %d copies its base after all changes; copy it before them", u.Line(copied.Pos())),
		Related: []analysis.RelatedInformation{{Pos: copied.Pos(), Message: "the base of the patch is copied here"}},
	})
}

package statusupdate

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/summary"
)

// patches finds status patches that start from a copy which was made after the
// status had been set, so that there is no difference to send.
func (u *unit) patches() {
	for _, s := range u.Sites {
		if s.Kind != summary.Written || s.ViaCopy || s.Write.Verb != kubeapi.Patch || s.Write.Endpoint != kubeapi.StatusEndpoint {
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
func (u *unit) patched(patch summary.Site) {
	copied, object, ok := u.PatchBase(patch.Node)
	if !ok || object != patch.Place.Object {
		return
	}
	changes, sure := u.ChangedSince(u.Unit, copied, patch.Node, object)
	if !sure || !slices.ContainsFunc(u.Graph.At(copied), func(n *flow.Node) bool { return u.Graph.Reaches(n, patch.Node) }) {
		return
	}
	before := u.setBefore(object, func(s summary.Site) bool { return s.Node.Instr == ssa.Instruction(copied) && s.Kind == summary.Copied })
	before = slices.DeleteFunc(before, func(set summary.Site) bool {
		return slices.ContainsFunc(changes, func(c summary.Site) bool { return within(c.Place.Sub, set.Place.Sub) })
	})
	switch {
	case len(before) > 0 && (len(changes) == 0 || !u.storedLater(patch, object)):
		u.reportKeptOut(patch, before, fmt.Sprintf("this patch starts from the copy that line %d makes after it; copy it before", u.line(copied.Pos())))
	case len(before) == 0 && len(changes) == 0 && isParameter(object) && !u.setsStatus(object, copied):
		u.reportEmpty(patch, copied)
	}
}

// patchedByHelper judges a call of a helper that stores what it changes itself,
// and no more.
func (u *unit) patchedByHelper(patch summary.Site) {
	object := patch.Place.Object
	var since []string
	for _, e := range u.At(patch.Node) {
		if e.Kind != summary.Written || e.Write.Endpoint&kubeapi.StatusEndpoint == 0 || !u.MayBe(e.Place.Object, object) {
			continue
		}
		if !e.Write.Rebased || e.Via != patch.Via {
			return
		}
		since = append(since, strings.Split(e.Write.Since, ",")...)
	}
	before := u.setBefore(object, func(s summary.Site) bool { return s.Node == patch.Node && s.Kind == summary.Written })
	before = slices.DeleteFunc(before, func(set summary.Site) bool {
		return slices.ContainsFunc(since, func(path string) bool { return path != "" && within(strings.Split(path, "."), set.Place.Sub) })
	})
	if len(before) > 0 && !u.storedLater(patch, object) {
		u.reportKeptOut(patch, before, fmt.Sprintf("%s patches only what it changes itself, after its own copy; give it the base", patch.Via.Name()))
	}
}

// setBefore returns the changes of an object's status that are in memory only
// where the path comes to what end tells.
func (u *unit) setBefore(object flow.Object, end func(summary.Site) bool) []summary.Site {
	var before []summary.Site
	for _, set := range u.Sites {
		if !isStatus(set.Event) || set.Place.Object != object {
			continue
		}
		found := u.follow(set.Node, object, u.Changed(u.Unit, set.Node, set.Place), func(s summary.Site, certain, copied bool) flow.Step {
			switch {
			case certain && end(s):
				return flow.Found
			case s.Kind == summary.Copied:
				return flow.Prune // the copy has it, and may be what is written later
			case interrupts(s.Event):
				return flow.Prune
			}
			return flow.Continue
		})
		if found {
			before = append(before, set)
		}
	}
	return before
}

// setsStatus reports whether the unit changes the status of an object, or may, be
// it on another copy than the one that a patch starts from. The object's own
// methods do not count: they set what the patch leaves out, and store nothing.
func (u *unit) setsStatus(object flow.Object, base *ssa.Call) bool {
	return slices.ContainsFunc(u.Sites, func(s summary.Site) bool {
		if !u.MayBe(s.Place.Object, object) {
			return false
		}
		switch s.Kind {
		case summary.Mutated:
			return s.Place.Aspect() == kubeapi.Status
		case summary.HandedOff, summary.Touched:
			return !u.ownMethod(s)
		case summary.Copied:
			return s.Node.Instr != ssa.Instruction(base)
		}
		return s.Kind != summary.Written
	})
}

// ownMethod reports whether an event is a call of a method of its object.
func (u *unit) ownMethod(s summary.Site) bool {
	call := s.Node.Call()
	if call == nil {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	return recv != nil && u.Resolve.Place(recv).Object == s.Place.Object
}

// storedLater reports whether the status that a patch leaves out may be stored
// afterwards: here, or by who has the object then.
func (u *unit) storedLater(patch summary.Site, object flow.Object) bool {
	again, status := u.after(patch.Node, object)
	if again || status != nil || u.storedByCaller(object) {
		return true
	}
	for _, n := range u.Graph.Nodes {
		if ret, ok := n.Instr.(*ssa.Return); ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return u.MayBe(u.Resolve.Place(v).Object, object) }) {
			return true
		}
	}
	return false
}

// within reports whether one of two places inside an object is part of the other.
func within(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

func (u *unit) reportKeptOut(patch summary.Site, before []summary.Site, why string) {
	pos, end := u.span(patch.Node)
	f := rule.Finding{
		Pos: pos, End: end, Category: notInPatch,
		Message: fmt.Sprintf("status set %s is never stored: %s", u.where(before[0]), why),
	}
	for _, set := range before {
		f.Related = append(f.Related, u.related(set, "the status is set here"))
	}
	u.report.Report(f)
}

func (u *unit) reportEmpty(patch summary.Site, copied *ssa.Call) {
	pos, end := u.span(patch.Node)
	u.report.Report(rule.Finding{
		Pos: pos, End: end, Category: notInPatch,
		Message: fmt.Sprintf("status set before is never stored: this patch is always empty, as line %d copies its base after all changes; copy it before them", u.line(copied.Pos())),
		Related: []analysis.RelatedInformation{{Pos: copied.Pos(), Message: "the base of the patch is copied here"}},
	})
}

// Package rereads finds changes of the status that are lost when the object is read again.
package rereads

import (
	"fmt"

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

// Report finds status that is set, and then overwritten in memory by what is read
// again, before it is written.
func Report(in *subject.Function) {
	u := &unit{in}
	told := make(map[*paths.Node]bool)
	for _, set := range u.Sites {
		if !subject.IsStatus(set.Event) || !u.HasSubresource(subject.KindOf(set.Event)) {
			continue
		}
		read, ok := u.readAfter(set)
		if !ok || told[read.Node] || u.inRetry(read.Node) || u.statusReadBetween(set, read) {
			continue
		}
		again, status := u.After(read.Node, read.Place.Object, set.Place.Sub)
		if again || status == nil {
			continue
		}
		told[read.Node] = true
		u.reportReread(set, read, *status)
	}
}

// readAfter returns the read that overwrites an object whose status has been set
// in memory, and nothing else.
func (u *unit) readAfter(set objects.Site) (read objects.Site, found bool) {
	_, found = u.Follow(u.Unit, set.Node, set.Place.Object, u.Changed(u.Unit, set.Node, set.Place), nil, func(s objects.Seen) paths.Step {
		switch {
		case s.Kind == objects.Refreshed && s.Certain && !s.Copied && s.Via == nil && u.isGet(s.Node):
			read = s.Site
			return paths.Found
		case subject.Interrupts(s.Event), s.Kind == objects.Copied, s.Kind == objects.Touched:
			return paths.Prune
		}
		return paths.Continue
	})
	return read, found
}

func (u *unit) isGet(n *paths.Node) bool {
	call := n.Call()
	if call == nil {
		return false
	}
	op, ok := u.ClientOp(call.Common())
	return ok && op.Verb == kubeapi.Get && op.Object != nil
}

// inRetry reports whether a node is in a literal that runs again after a conflict:
// conflictretry's business.
func (u *unit) inRetry(n *paths.Node) bool {
	for f := n.Frame; f != nil && f.Call != nil; f = f.Parent {
		if _, _, ok := kubeapi.ConflictRetry(f.Call.Common()); ok {
			return true
		}
	}
	return false
}

// statusReadBetween reports whether the status is looked at, or kept, before it is
// overwritten.
func (u *unit) statusReadBetween(set, read objects.Site) bool {
	for _, n := range u.Graph.Nodes {
		load, ok := n.Instr.(*ssa.UnOp)
		if !ok {
			continue
		}
		p := u.Resolve.Place(load.X)
		if p.Object == set.Place.Object && p.Aspect() == kubeapi.Status && u.Graph.Reaches(set.Node, n) && u.Graph.Reaches(n, read.Node) {
			return true
		}
	}
	return false
}

func (u *unit) reportReread(set, read, status objects.Site) {
	pos, end := u.Span(read.Node)
	u.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.LostOnUpdate,
		Message: fmt.Sprintf("status set %s is lost: this Get overwrites the %s before line %d writes its status; set the status after it",
			u.Where(set), subject.TypeName(subject.KindOf(set.Event)), u.Line(status.Node.Instr.Pos())),
		Related: []analysis.RelatedInformation{
			u.Related(set, "the status is set here"),
			u.Related(status, "the stored status is written back here"),
		},
	})
}

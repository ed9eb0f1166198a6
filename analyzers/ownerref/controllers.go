package ownerref

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ownerref/internal/owners"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// setup is what a function tells controllers to watch.
type setup struct {
	owned   []ownedKind
	watched []*types.Named // whatever owns them, or nobody
	unclear bool           // it watches something whose kind is not seen
}

// ownedKind is a kind whose events reach the owner only that is its
// controller.
type ownedKind struct {
	owner, kind *types.Named
	what        string
	remedy      string
	pos         token.Pos
}

// controllers finds owner references that make no controller, of kinds whose
// events only a controller's reference leads anywhere. Those of one controller are
// one finding: it is one habit, and one change of the controller mends them all.
func (c *checker) controllers() {
	var setups []setup
	for _, fn := range c.Summaries.Calls.Funcs {
		if s := setupIn(fn); len(s.owned) > 0 && !s.unclear {
			setups = append(setups, s)
		}
	}
	type controller struct {
		setup  int
		owner  *types.Named
		wanted bool // a place in a test must not be the one at which all the others are told
	}
	var order []controller
	unheard := make(map[controller][]unheardLink)
	for _, l := range c.links {
		if l.Checked == "" || l.Controller || l.Owner.Kind == nil || l.Child.Kind == nil || c.reported[l.Instr] ||
			c.isControlled(l.Owner.Kind, l.Child.Kind) {
			continue
		}
		for i, s := range setups {
			n := slices.IndexFunc(s.owned, func(o ownedKind) bool { return o.kind == l.Child.Kind && o.owner == l.Owner.Kind })
			if n < 0 || slices.Contains(s.watched, l.Child.Kind) {
				continue
			}
			pos, end := c.span(l)
			file := syntax.FileOf(c.pass.Files, pos)
			of := controller{i, l.Owner.Kind, file != nil && c.report.Wants(file)}
			if _, known := unheard[of]; !known {
				order = append(order, of)
			}
			unheard[of] = append(unheard[of], unheardLink{s.owned[n], pos, end})
			break
		}
	}
	for _, of := range order {
		c.tellUnheard(unheard[of])
	}
}

// unheardLink is where an owner is set that does not hear of the object, and the
// watch that would have to bring the events.
type unheardLink struct {
	watch    ownedKind
	pos, end token.Pos
}

// tellUnheard words the finding about the references of one controller, at the first
// of them.
func (c *checker) tellUnheard(links []unheardLink) {
	slices.SortStableFunc(links, func(a, b unheardLink) int { return cmp.Compare(a.pos, b.pos) })
	first := links[0]
	links = slices.DeleteFunc(links, func(l unheardLink) bool { return c.silenced(l, first) })
	if len(links) == 0 {
		return
	}
	first = links[0]
	var watches []ownedKind
	for _, l := range links {
		if !slices.ContainsFunc(watches, func(w ownedKind) bool { return w.pos == l.watch.pos }) {
			watches = append(watches, l.watch)
		}
	}
	related := []analysis.RelatedInformation{{Pos: first.watch.pos, Message: "the kind is watched here"}}
	for _, l := range links[1:] {
		related = append(related, analysis.RelatedInformation{Pos: l.pos, End: l.end, Message: "an owner that is no controller is set here, too"})
	}
	for _, w := range watches[1:] {
		related = append(related, analysis.RelatedInformation{Pos: w.pos, Message: "the " + typeName(w.kind) + " is watched here"})
	}
	c.report.Report(rule.Finding{
		Pos: first.pos, End: first.end, Category: notController,
		Message: c.unheardMessage(first.watch, len(watches), len(links)),
		Related: related,
	})
}

// silenced reports whether a comment at a place, or at the watch, says that it is meant. The
// line of the first is left to the reporter: a comment there silences them all.
func (c *checker) silenced(l, first unheardLink) bool {
	own := syntax.Place(c.pass.Fset, l.pos) != syntax.Place(c.pass.Fset, first.pos) && c.report.Silenced(l.pos, notController)
	return own || c.report.Silenced(l.watch.pos, notController)
}

func (c *checker) unheardMessage(watch ownedKind, kinds, places int) string {
	var more string
	switch {
	case kinds == 2:
		more = " and 1 more kind"
	case kinds > 2:
		more = fmt.Sprintf(" and %d more kinds", kinds-1)
	}
	if places > 1 {
		more += fmt.Sprintf(" (%d places)", places)
	}
	at := c.pass.Fset.Position(watch.pos)
	return wording.Fit(func(short func(string) string) string {
		where := fmt.Sprintf("%s (%s)", watch.what, short(fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)))
		if places > 1 {
			where = watch.what // how many there are says more, and the line is a related place
		}
		return fmt.Sprintf("no event of the %s%s reaches the controller: %s asks for a controller; %s", short(typeName(watch.kind)), more, where, watch.remedy)
	})
}

// isControlled reports whether the package makes owners of the kind controllers
// of objects of the other, too, by the library or perhaps by hand.
func (c *checker) isControlled(owner, child *types.Named) bool {
	return slices.ContainsFunc(c.links, func(l owners.Link) bool {
		return l.Child.Kind == child && (l.Controller || l.Checked == "") && (l.Owner.Kind == nil || l.Owner.Kind == owner)
	})
}

// setController is what mends a reference by itself.
const setController = "use SetControllerReference"

// remedyOf says what mends a reference to the owner of a kind that a call of Owns watches:
// old versions know no option that has it react to all owners.
func remedyOf(owns *ssa.Call) string {
	if !kubeapi.CanMatchEveryOwner(owns.Common()) {
		return setController
	}
	return setController + " or MatchEveryOwner"
}

// setupIn reads the calls of a function that say what to watch.
func setupIn(fn *ssa.Function) setup {
	var s setup
	var reconciled []*types.Named
	var owns []ownedKind
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		w, ok := kubeapi.WatchCallOf(call.Common())
		if !ok {
			continue
		}
		var kind *types.Named
		if w.Object != nil {
			kind = kubeapi.KindOf(w.Object.Type())
		}
		switch {
		case w.Method == "For":
			reconciled = append(reconciled, kind)
			continue
		case kind == nil:
			s.unclear = s.unclear || w.Method == "Watch"
			continue
		case w.Method == "Owns":
			if w.EveryOwner {
				s.watched = append(s.watched, kind)
			} else {
				owns = append(owns, ownedKind{kind: kind, what: "Owns", remedy: remedyOf(call), pos: call.Pos()})
			}
			continue
		}
		h, ok := kubeapi.OwnerHandlerOf(w.Handler)
		if ok && h.OnlyController && kubeapi.KindOf(h.Owner.Type()) != nil {
			s.owned = append(s.owned, ownedKind{kubeapi.KindOf(h.Owner.Type()), kind, "the watch", setController, call.Pos()})
		} else {
			s.watched = append(s.watched, kind)
		}
	}
	for _, o := range owns {
		for _, owner := range reconciled {
			if owner != nil {
				o.owner = owner
				s.owned = append(s.owned, o)
			}
		}
	}
	return s
}

package ownerref

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ownerref/internal/owners"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
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
	pos         token.Pos
}

// controllers finds owner references that make no controller, of kinds whose
// events only a controller's reference leads anywhere.
func (c *checker) controllers() {
	var setups []setup
	for _, fn := range c.Summaries.Calls.Funcs {
		if s := setupIn(fn); len(s.owned) > 0 && !s.unclear {
			setups = append(setups, s)
		}
	}
	for _, l := range c.links {
		if l.Checked == "" || l.Controller || l.Owner.Kind == nil || l.Child.Kind == nil || c.reported[l.Instr] ||
			c.isControlled(l.Owner.Kind, l.Child.Kind) {
			continue
		}
		for _, s := range setups {
			n := slices.IndexFunc(s.owned, func(o ownedKind) bool { return o.kind == l.Child.Kind && o.owner == l.Owner.Kind })
			if n < 0 || slices.Contains(s.watched, l.Child.Kind) {
				continue
			}
			owned := s.owned[n]
			at := c.pass.Fset.Position(owned.pos)
			pos, end := c.span(l)
			c.report.Report(rule.Finding{
				Pos: pos, End: end, Category: notController,
				Message: fmt.Sprintf("no event of the %s reaches the controller: %s (%s:%d) asks for a controller, this owner is none; use SetControllerReference",
					typeName(l.Child.Kind), owned.what, filepath.Base(at.Filename), at.Line),
				Related: []analysis.RelatedInformation{{Pos: owned.pos, Message: "the kind is watched here"}},
			})
			break
		}
	}
}

// isControlled reports whether the package makes owners of the kind controllers
// of objects of the other, too, by the library or perhaps by hand.
func (c *checker) isControlled(owner, child *types.Named) bool {
	return slices.ContainsFunc(c.links, func(l owners.Link) bool {
		return l.Child.Kind == child && (l.Controller || l.Checked == "") && (l.Owner.Kind == nil || l.Owner.Kind == owner)
	})
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
				owns = append(owns, ownedKind{kind: kind, what: "Owns", pos: call.Pos()})
			}
			continue
		}
		h, ok := kubeapi.OwnerHandlerOf(w.Handler)
		if ok && h.OnlyController && kubeapi.KindOf(h.Owner.Type()) != nil {
			s.owned = append(s.owned, ownedKind{kubeapi.KindOf(h.Owner.Type()), kind, "the watch", call.Pos()})
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

package ownerref

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
)

// setup is what a function tells a builder to watch.
type setup struct {
	reconciled []*types.Named
	owned      []ownedKind
	watched    []*types.Named
	unclear    bool // it watches something whose kind is not seen
}

// ownedKind is a kind whose events count for its controller only.
type ownedKind struct {
	kind *types.Named
	pos  token.Pos
}

// controllers finds owner references that make no controller, of kinds whose
// events only a controller's reference leads anywhere.
func (c *checker) controllers() {
	var setups []setup
	for _, fn := range c.Summaries.Calls.Funcs {
		if s, ok := setupIn(fn); ok {
			setups = append(setups, s)
		}
	}
	for _, l := range c.links {
		if l.Checked == "" || l.Controller || l.Owner.Kind == nil || l.Child.Kind == nil || c.reported[l.Instr] ||
			c.isControlled(l.Owner.Kind, l.Child.Kind) {
			continue
		}
		for _, s := range setups {
			owned := slices.IndexFunc(s.owned, func(o ownedKind) bool { return o.kind == l.Child.Kind })
			if owned < 0 || s.unclear || !slices.Contains(s.reconciled, l.Owner.Kind) || slices.Contains(s.watched, l.Child.Kind) {
				continue
			}
			owner, child := typeName(l.Owner.Kind), typeName(l.Child.Kind)
			pos, end := c.span(l)
			at := c.pass.Fset.Position(s.owned[owned].pos)
			c.report.Report(rule.Finding{
				Pos: pos, End: end, Category: notController,
				Message: fmt.Sprintf("no event of the %s reaches the controller: Owns on line %d reacts to the owner that is its controller, and SetOwnerReference makes the %s none; use SetControllerReference, or builder.MatchEveryOwner as an option of Owns", child, at.Line, owner),
				Related: []analysis.RelatedInformation{{Pos: s.owned[owned].pos, Message: "the kind is owned here"}},
			})
			break
		}
	}
}

// isControlled reports whether the package makes owners of the kind controllers
// of objects of the other, too, by the library or perhaps by hand.
func (c *checker) isControlled(owner, child *types.Named) bool {
	for _, l := range c.links {
		if l.Child.Kind == child && (l.Controller || l.Checked == "") && (l.Owner.Kind == nil || l.Owner.Kind == owner) {
			return true
		}
	}
	return false
}

// setupIn reads the builder's calls in a function.
func setupIn(fn *ssa.Function) (setup, bool) {
	var s setup
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			b, ok := kubeapi.BuilderCallOf(call.Common())
			if !ok {
				continue
			}
			kind := kubeapi.KindOf(b.Object.Type())
			switch b.Method {
			case "For":
				s.reconciled = append(s.reconciled, kind)
			case "Owns":
				if kind != nil && b.OptionsKnown && !slices.ContainsFunc(b.Options, kubeapi.IsMatchEveryOwner) {
					s.owned = append(s.owned, ownedKind{kind, call.Pos()})
				}
			default:
				if kind == nil {
					s.unclear = true
				}
				s.watched = append(s.watched, kind)
			}
		}
	}
	return s, len(s.owned) > 0
}

// Package gates finds removals of finalizers that depend on a field of the spec.
package gates

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// gated is a removal of a finalizer that depends on a field of the spec.
type gated struct {
	*unit
	removal subject.Change
	gate    *ssa.If
	field   string
	others  int // conditions that it depends on, that one included
}

// cause is what one change mends: several removals of a finalizer that depend on one field.
func (g *gated) cause() string {
	return strings.Join([]string{kubeapi.KindID(g.removal.Type), g.removal.Name.Value, g.removal.Name.Key, g.field}, " ")
}

// Report finds removals of a finalizer that depend on the object's spec, where
// the other branch returns success with the finalizer still on. Of several with one cause, it
// tells of the one that the fewest other conditions keep from running.
func Report(units []*subject.Function) {
	least := make(map[string]*gated)
	var order []string
	for _, in := range units {
		for _, g := range (&unit{in}).gated() {
			cause := g.cause()
			known := least[cause]
			if known == nil {
				order = append(order, cause)
			}
			if known == nil || g.others < known.others {
				least[cause] = g
			}
		}
	}
	for _, cause := range order {
		g := least[cause]
		g.reportGated(g.removal, g.gate, g.field)
	}
}

func (u *unit) gated() []*gated {
	var found []*gated
	for _, r := range u.Removals {
		if r.Kind != finalizers.Removed || !r.Name.Known() || r.Type == nil || r.Name.Param > 0 && !u.isNamedByCallers(r) {
			continue
		}
		gate, field := u.gateOf(r)
		if gate == nil || u.LiveAt(r.Node, r.Object) || !u.keptOtherwise(r, gate) || u.removedElsewhere(r, field) || u.pauses(r, gate) || u.explains(r, gate) || u.setsItself(r, field) && !u.Report.Strict() {
			continue
		}
		g := &gated{u, r, gate, field, 0}
		for range blocks.Decided(r.Node.Instr.Block()) {
			g.others++
		}
		found = append(found, g)
	}
	return found
}

// setsItself reports whether the package puts something into the field that a gate asks
// for: it knows that the objects which it gives a finalizer have it then.
func (u *unit) setsItself(r subject.Change, field string) bool {
	for _, fn := range u.Calls.Funcs {
		for store := range blocks.InstrsOf[*ssa.Store](fn) {
			if calls.IsNil(store.Val) {
				continue
			}
			if addr, ok := store.Addr.(*ssa.FieldAddr); ok && u.specPath(addr, r) == field {
				return true
			}
		}
	}
	return false
}

// pauses reports whether a gate is a switch that, turned on, has the whole object left alone, be it
// deleted or not: who turns it on wants it to stay as it is, and can turn it off again.
func (u *unit) pauses(r subject.Change, gate *ssa.If) bool {
	cond, on := gate.Cond, false
	for branch, held := range blocks.Decided(r.Node.Instr.Block()) {
		if branch == gate {
			on = !held
		}
	}
	for not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT; not, ok = cond.(*ssa.UnOp) {
		cond, on = not.X, !on
	}
	return on && types.Identical(cond.Type().Underlying(), types.Typ[types.Bool]) && u.specPath(cond, r) != "" &&
		slices.ContainsFunc(u.Graph.At(gate), func(n *paths.Node) bool { return !u.DeletingAt(n, r.Object) })
}

// gateOf returns the innermost condition on the spec that a removal depends
// on, and the field.
func (u *unit) gateOf(r subject.Change) (*ssa.If, string) {
	for branch := range blocks.Decided(r.Node.Instr.Block()) {
		if field := u.specField(branch.Cond, r, 0); field != "" {
			return branch, field
		}
	}
	return nil, ""
}

// specField returns the field of the spec that a condition asks for: whether
// a switch is on, or an optional part there.
func (u *unit) specField(cond ssa.Value, r subject.Change, depth int) string {
	if depth > 4 {
		return ""
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return u.specField(c.X, r, depth+1)
		}
		if types.Identical(c.Type().Underlying(), types.Typ[types.Bool]) {
			return u.specPath(c, r)
		}
	case *ssa.BinOp:
		if c.Op != token.EQL && c.Op != token.NEQ && c.Op != token.GTR {
			return ""
		}
		other, isConst := c.Y.(*ssa.Const)
		if !isConst {
			return ""
		}
		if other.IsNil() {
			return u.specPath(c.X, r)
		}
		// What others put on a list of hooks they take off it when they are done.
		if size, ok := c.X.(*ssa.Call); ok && u.Report.Strict() && calls.IsBuiltin(size, "len") && kubeapi.IsInteger(other.Type()) && other.Int64() == 0 {
			return u.specPath(size.Common().Args[0], r)
		}
	}
	return ""
}

func (u *unit) specPath(v ssa.Value, r subject.Change) string {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	place := u.Resolve.Place(v)
	if place.Kind != r.Type || place.Aspect() != kubeapi.Spec || len(place.Sub) < 2 {
		return ""
	}
	return strings.Join(place.Sub, ".")
}

// keptOtherwise searches a path from the other branch of a gate to a
// successful return on which the finalizer stays on, all else being as it is
// where it is removed.
func (u *unit) keptOtherwise(r subject.Change, gate *ssa.If) bool {
	tests := u.Info.Tests(u.Unit, r.Object)
	assume := finalizers.Watch(tests)
	for branch, held := range blocks.Decided(r.Node.Instr.Block()) {
		if branch == gate {
			held = !held
		}
		assume[branch.Cond] = paths.TruthOf(held)
	}
	for _, n := range u.Graph.At(gate) {
		_, found := u.Graph.Search(n, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if finalizers.Known(tests, known) == finalizers.Live {
				return stage, paths.Prune
			}
			for _, ch := range u.ChangesAt[n] {
				if ch.Name == r.Name || ch.Kind == finalizers.Emptied || ch.Kind == finalizers.Ran || !ch.Name.Known() {
					return stage, paths.Prune // removed there, too; or added: a switch
				}
			}
			if u.Graph.IsExit(n) {
				if u.Graph.Outcome(n, known) == paths.False && u.IsFinal(n) {
					return stage, paths.Found
				}
				return stage, paths.Prune
			}
			return stage, paths.Continue
		})
		if found {
			return true
		}
	}
	return false
}

// explains reports whether the other branch of a gate alone writes the status of such an object or records an
// event, itself or by a helper: who sees the object stay is told why, and what to change.
func (u *unit) explains(r subject.Change, gate *ssa.If) bool {
	var other *ssa.BasicBlock
	for branch, held := range blocks.Decided(r.Node.Instr.Block()) {
		if branch == gate {
			other = blocks.Side(gate, !held)
		}
	}
	if other == nil || len(other.Preds) != 1 {
		return false
	}
	isTold := func(call *ssa.Call) bool { return u.tells(call, r) }
	isToldIn := func(fn *ssa.Function) bool { return blocks.Any(fn, isTold) }
	return blocks.Any(gate.Parent(), func(call *ssa.Call) bool {
		return other.Dominates(call.Block()) && (isTold(call) || slices.ContainsFunc(u.Calls.Around(u.Calls.Callees(call).Funcs, 0, 1), func(fn *ssa.Function) bool {
			return isToldIn(fn) || slices.ContainsFunc(fn.AnonFuncs, isToldIn)
		}))
	})
}

// tells reports whether a call sends the status of an object of the kind, or records an event.
func (u *unit) tells(call *ssa.Call, r subject.Change) bool {
	if op, ok := u.ClientOp(call.Common()); ok {
		return op.Endpoint == kubeapi.StatusEndpoint && op.Verb != kubeapi.Get && op.Object != nil && kubeapi.KindOfValue(op.Object) == r.Type
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && kubeapi.IsEventRecorder(callee)
}

// removedElsewhere reports whether the package removes the finalizer at
// another place that does not depend on the same field.
func (u *unit) removedElsewhere(r subject.Change, field string) bool {
	for _, other := range u.Units {
		for _, ch := range other.Removals {
			if r.Name.Param > 0 && other.Fn != u.Fn {
				// Its callers know the name, and may take it off themselves.
				if (ch.Type == nil || ch.Type == r.Type) && (ch.Via == nil || ch.Via != u.Fn.Object()) {
					return true
				}
				continue
			}
			if ch.Node == r.Node || ch.Name != r.Name && ch.Kind != finalizers.Emptied || ch.Type != nil && ch.Type != r.Type || u.PassesOn(ch) {
				continue
			}
			if _, same := (&unit{other}).gateOf(ch); same != field {
				return true
			}
		}
	}
	return false
}

// isNamedByCallers reports whether all callers in the package of a function that gets the name of a
// finalizer hand over one that is known.
func (u *unit) isNamedByCallers(r subject.Change) bool {
	if u.Fn.Parent() != nil || r.Via != nil || r.Name.Param > len(u.Fn.Params) {
		return false
	}
	args, closed := u.Calls.Arguments(u.Fn.Params[r.Name.Param-1])
	return (len(args) > 0 || !closed) && !slices.ContainsFunc(args, func(arg calls.Argument) bool {
		name := u.Info.NameOf(arg.Value)
		return !name.Known() || name.Param > 0
	})
}

// valueOf is the finalizer that a removal takes off: what all callers hand over, if it gets the name from
// them.
func (u *unit) valueOf(r subject.Change) string {
	if r.Name.Param == 0 {
		return r.Name.Value
	}
	value := ""
	args, closed := u.Calls.Arguments(u.Fn.Params[r.Name.Param-1])
	for _, arg := range args {
		name := u.Info.NameOf(arg.Value).Value
		if !closed || value != "" && name != value {
			return ""
		}
		value = name
	}
	return value
}

func (u *unit) reportGated(r subject.Change, gate *ssa.If, field string) {
	f := rule.Finding{
		Category: subject.Gated,
		Message: fmt.Sprintf("if %s says otherwise at deletion (line %d), %s stays Terminating; make only the clean-up depend on it",
			wording.Tail(field, subject.MaxName), u.Line(gate.Cond.Pos()), u.Object(r)),
		Related: []analysis.RelatedInformation{{Pos: gate.Cond.Pos(), Message: "the condition"}},
	}
	if r.Name.Key == "" {
		f.NowhereElse = rule.Removal{Finalizer: u.valueOf(r), Kind: kubeapi.KindID(r.Type)}
	}
	for _, other := range u.Units {
		for _, ch := range other.Changes {
			if ch.Kind != finalizers.Added || r.Name.Param > 0 || ch.Type != nil && ch.Type != r.Type {
				continue
			}
			if list := u.listOf(r.Name, ch.Node.Frame.Fn); !ch.Name.Known() && list.IsValid() {
				f.Related = append(f.Related, analysis.RelatedInformation{Pos: list, Message: "the finalizer is added from this list"})
			}
			if ch.Name == r.Name {
				f.Related = append(f.Related, analysis.RelatedInformation{Pos: ch.Node.Instr.Pos(), Message: "the finalizer is added here"})
			}
		}
	}
	u.Tell(r.Node, f)
}

// listOf returns where a function has a list literal with the name of a
// finalizer.
func (u *unit) listOf(name finalizers.Name, fn *ssa.Function) token.Pos {
	for store := range blocks.InstrsOf[*ssa.Store](fn) {
		if !types.Identical(store.Val.Type(), types.Typ[types.String]) || u.Info.NameOf(store.Val) != name {
			continue
		}
		if index, ok := store.Addr.(*ssa.IndexAddr); ok {
			if array, ok := index.X.(*ssa.Alloc); ok {
				return array.Pos()
			}
		}
	}
	return token.NoPos
}

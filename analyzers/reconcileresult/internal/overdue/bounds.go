package overdue

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// sets reports whether a node changes the time: then it is one that the code
// has chosen.
func (c *Finder) sets(u *objects.Unit, n *paths.Node, l left) bool {
	place := c.placeOf(l)
	if place.Kind == nil {
		if place = c.textPlace(l.time); place.Kind == nil || !putsText(n, l.time) || c.isReadAfter(u, n, place.Object) {
			return false
		}
	}
	for _, e := range u.At(n) {
		if e.Kind != objects.Mutated && e.Kind != objects.Touched || !c.MayBe(e.Place.Object, place.Object) {
			continue
		}
		k := min(len(e.Place.Sub), len(place.Sub))
		if slices.Equal(e.Place.Sub[:k], place.Sub[:k]) {
			return true
		}
	}
	return false
}

// isReadAfter reports whether an object may be read after a node, or go where that is not seen.
func (c *Finder) isReadAfter(u *objects.Unit, n *paths.Node, o paths.Object) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		return !c.keepsText(s, o) && u.Graph.Reaches(n, s.Node)
	})
}

// keepsText reports whether what is done to an object leaves the texts in it as they were put there.
func (c *Finder) keepsText(s objects.Site, o paths.Object) bool {
	switch s.Kind {
	case objects.Mutated, objects.Copied:
		return true
	case objects.Written:
		return !s.Write.IfChanged || !c.MayBe(s.Place.Object, o)
	}
	return !c.MayBe(s.Place.Object, o)
}

// putsText reports whether a node may put the text there that a time is read from: the field as a whole, or
// the entry of the same key.
func putsText(n *paths.Node, t ssa.Value) bool {
	switch instr := n.Instr.(type) {
	case *ssa.Store:
		return true
	case *ssa.MapUpdate:
		key, known := kubeapi.ConstString(instr.Key)
		entry := entryBehind(t)
		wanted, same := "", false
		if entry != nil {
			wanted, same = kubeapi.ConstString(entry.Index)
		}
		return !known || !same || key == wanted
	}
	return false
}

// timePlace is the field that a time is read from, or computed from.
func (c *Finder) timePlace(t ssa.Value) paths.Place {
	p := c.Resolve.Place(timeBehind(t))
	if n := len(p.Sub); n > 1 && p.Sub[n-1] == "Time" {
		p.Sub = p.Sub[:n-1] // metav1.Time is a time by what it embeds
	}
	return p
}

// timeBehind is the time that another one is computed from.
func timeBehind(t ssa.Value) ssa.Value {
	for range maxFields {
		call, ok := calls.Behind(t).(*ssa.Call)
		if !ok {
			break
		}
		from := kubeapi.TimeFrom(call.Common())
		if from == nil {
			break
		}
		t = from
	}
	return calls.Behind(t)
}

// bounds returns the conditions by which the code asks whether the time has
// passed, with the answer that says no; Unknown for those of which any answer
// does, since what they ask is not seen.
func (c *Finder) bounds(u *objects.Unit, l left) map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	for _, n := range u.Graph.Nodes {
		switch instr := n.Instr.(type) {
		case *ssa.BinOp:
			if comparesAmounts(instr) {
				c.compared(found, instr, l)
			}
		case *ssa.Call:
			if b, ok := instr.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool && c.asksAbout(instr.Common(), l) {
				found[instr] = paths.Unknown
			}
		}
	}
	return found
}

// compared notes a comparison of what is left, or of something computed from the
// same time: a second look at the clock is a moment later, and that moment is for
// strict.
func (c *Finder) compared(found map[ssa.Value]paths.Truth, b *ssa.BinOp, l left) {
	is := func(v ssa.Value) bool { return c.isLeftOf(v, l) }
	switch {
	case is(b.X) && (b.Op == token.GTR || b.Op == token.GEQ), is(b.Y) && (b.Op == token.LSS || b.Op == token.LEQ):
		found[b] = paths.True
	case is(b.X) && (b.Op == token.LSS || b.Op == token.LEQ), is(b.Y) && (b.Op == token.GTR || b.Op == token.GEQ):
		found[b] = paths.False
	case isLongest(b, l):
	case c.measures(b.X, l) || c.measures(b.Y, l):
		found[b] = paths.Unknown
	}
}

// isLeftOf reports whether a value is what is left, seen through merges and
// what does not change its sign.
func (c *Finder) isLeftOf(v ssa.Value, l left) bool {
	of := values.Relation{Calls: c.Calls, Steps: values.Merged | values.Held, More: func(v ssa.Value) []ssa.Value {
		if instr, ok := v.(ssa.Instruction); ok {
			if from := kubeapi.DurationFrom(instr); from != nil {
				return []ssa.Value{from}
			}
		}
		if from := pointedTo(v); from != nil {
			return []ssa.Value{from}
		}
		if call, ok := v.(*ssa.Call); ok {
			if back := c.Calls.GivenBack(call, 0); back != nil {
				return []ssa.Value{back}
			}
		}
		return nil
	}}
	return of.Any(v, func(v ssa.Value) bool { return v == l.at })
}

// measures reports whether a duration, or a number such as the share of a period that has
// gone by, is computed from the same time in another place.
func (c *Finder) measures(v ssa.Value, l left) bool {
	of := values.Relation{Calls: c.Calls, Steps: values.Merged | values.Held | values.Converted | values.Returned | values.Computed, More: func(v ssa.Value) []ssa.Value {
		if call, ok := v.(*ssa.Call); ok {
			if recv, _ := kubeapi.Args(call.Common()); recv != nil && kubeapi.IsDuration(recv.Type()) {
				return []ssa.Value{recv} // its seconds
			}
		}
		return nil
	}}
	return !c.Strict && of.Any(v, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		return ok && tellsAmount(call.Type()) && c.asksAbout(call.Common(), l)
	})
}

// comparesAmounts reports whether an operation compares two durations, or numbers.
func comparesAmounts(b *ssa.BinOp) bool {
	return kubeapi.IsBool(b.Type()) && (kubeapi.IsInteger(b.X.Type()) || tellsAmount(b.X.Type()))
}

// tellsAmount reports whether a type is that of a duration, or of the share of one.
func tellsAmount(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return kubeapi.IsDuration(t) || ok && b.Info()&types.IsFloat != 0
}

// asksAbout reports whether a call is handed the time, or the object that has
// it, and is not about something else: t.IsZero.
func (c *Finder) asksAbout(common *ssa.CallCommon, l left) bool {
	if callee := kubeapi.Callee(common); callee != nil && callee.Name() == "IsZero" {
		return false
	}
	place := c.placeOf(l)
	for _, operand := range kubeapi.Operands(common) {
		if operand == l.time || operand == l.at {
			return true
		}
		p := c.timePlace(operand)
		if p.Object == place.Object && (len(p.Sub) == 0 || slices.Equal(p.Sub, place.Sub)) {
			return true
		}
	}
	return false
}

// placeOf is the field that the time is read from; if a function does, what it is
// given is told from where it is called.
func (c *Finder) placeOf(l left) paths.Place {
	place := c.timePlace(l.time)
	call, isCall := l.at.(*ssa.Call)
	param, isParam := place.Object.Root.(*ssa.Parameter)
	if !isCall || !isParam || param.Parent() == call.Parent() {
		return place
	}
	arg := calls.ArgumentOf(call, param)
	if arg == nil {
		return place
	}
	if pointed := kubeapi.Deref(param.Type()); pointed != param.Type() && kubeapi.IsTime(pointed) {
		return c.timePlace(arg) // the field itself is handed over, and not its object
	}
	if given := c.Resolve.Place(arg); len(given.Sub) == 0 {
		place.Object = paths.Object{Root: given.Object.Root, Path: given.Object.Path + place.Object.Path, Index: given.Object.Index}
	}
	return place
}

// forget takes out of what bounds a duration what a reader does not trust, and
// reports whether there was such a thing.
func forget(bounds map[ssa.Value]paths.Truth, distrusted func(ssa.Value) bool) bool {
	forgotten := false
	for v := range bounds {
		if distrusted(v) {
			delete(bounds, v)
			forgotten = true
		}
	}
	return forgotten
}

// readsClockAgain reports whether a condition compares a time with another present
// than the one that what is left was computed with.
func readsClockAgain(v ssa.Value, l left) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	now, _, _ := kubeapi.ComparesNow(call.Common())
	computed, ok := l.at.(*ssa.Call)
	return now != nil && ok && kubeapi.TimeUntil(computed.Common()) != nil &&
		!slices.ContainsFunc(kubeapi.Operands(computed.Common()), func(v ssa.Value) bool { return kubeapi.Present(v) == now })
}

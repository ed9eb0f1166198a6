package objects

import (
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Changed is what is known from a node on that has changed a place: what
// [Done] says, and that whatever compares the place with the same one of
// another object finds a difference, since nothing has been changed where it
// finds none.
func (s *Summaries) Changed(u *Unit, n *paths.Node, place paths.Place) map[ssa.Value]paths.Truth {
	assume := Done(n)
	maps.Copy(assume, s.compared(u, place))
	maps.Copy(assume, noted(n))
	maps.Copy(assume, s.held(u, place))
	return assume
}

// noted are the variables that a literal sets when it tells what to change, where the change is
// what a call made of it: slices.DeleteFunc(list, func(e string) bool { found = true; ... }). A
// function that is handed such a variable tells by it whether it has changed anything.
func noted(n *paths.Node) map[ssa.Value]paths.Truth {
	answers := make(map[ssa.Value]paths.Truth)
	note := func(cell ssa.Value) {
		if cell, ok := calls.Captured(cell).(*ssa.Alloc); ok && kubeapi.IsBool(kubeapi.Deref(cell.Type())) {
			loads, _ := values.Loads(cell)
			for _, load := range loads {
				answers[load] = paths.True.WhenComputed()
			}
		}
	}
	if call := n.Call(); call != nil && n.Joins == nil {
		for _, operand := range kubeapi.Operands(call.Common()) {
			note(operand)
		}
		return answers
	}
	store, ok := n.Instr.(*ssa.Store)
	if !ok {
		return nil
	}
	call, _ := calls.CallOf(store.Val)
	if call == nil {
		return nil
	}
	for _, arg := range call.Common().Args {
		literal, ok := arg.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		for i, binding := range literal.Bindings {
			if isSet(literal.Fn.(*ssa.Function).FreeVars[i]) {
				note(binding)
			}
		}
	}
	return answers
}

// held are the questions whether a variable is nil that literals share, where it holds what has
// changed: that is not nil.
func (s *Summaries) held(u *Unit, place paths.Place) map[ssa.Value]paths.Truth {
	answers := make(map[ssa.Value]paths.Truth)
	for _, n := range u.Graph.Nodes {
		cmp, ok := n.Instr.(*ssa.BinOp)
		if !ok || cmp.Op != token.EQL && cmp.Op != token.NEQ || !calls.IsNil(cmp.Y) {
			continue
		}
		load, ok := cmp.X.(*ssa.UnOp)
		if !ok || load.Op != token.MUL || !blocks.IsVariable(load.X) || !s.Resolve.MayBe(s.Resolve.Place(load).Object, place.Object) {
			continue
		}
		answers[cmp] = paths.TruthOf(cmp.Op == token.NEQ).WhenComputed()
	}
	return answers
}

// isSet reports whether what a literal does with a variable is to set it to true.
func isSet(variable *ssa.FreeVar) bool {
	set := false
	for store := range blocks.Stores(variable) {
		if set, _ = kubeapi.ConstBool(store.Val); !set {
			return false
		}
	}
	return set
}

// Done is what is known after a call that has changed something: if it returns
// a bool, that tells by convention whether it has.
func Done(n *paths.Node) map[ssa.Value]paths.Truth {
	assume := make(map[ssa.Value]paths.Truth)
	for _, v := range paths.Results(n, kubeapi.IsBool) {
		assume[v] = paths.True
	}
	return assume
}

// compared returns the answers of the comparisons of a place that has changed
// with the same one of another object.
func (s *Summaries) compared(u *Unit, place paths.Place) map[ssa.Value]paths.Truth {
	answers := make(map[ssa.Value]paths.Truth)
	for _, c := range s.comparisons(u) {
		for i, side := range c.sides {
			other := c.sides[1-i]
			if paths.Overlap(side.Sub, place.Sub) && s.Resolve.MayBe(side.Object, place.Object) && !s.Resolve.MayBe(other.Object, place.Object) {
				answers[c.answer] = c.same.Not().WhenComputed()
			}
		}
	}
	return answers
}

// comparison is a question whether two places of a kind hold the same.
type comparison struct {
	answer ssa.Value
	same   paths.Truth // the answer if they do
	sides  [2]paths.Place
}

// comparisons returns the comparisons in a unit.
func (s *Summaries) comparisons(u *Unit) []comparison {
	u.compare.Do(func() {
		for _, n := range u.Graph.Nodes {
			if n.Joins != nil {
				continue
			}
			if c, ok := s.comparison(n.Instr); ok {
				u.comparisons = append(u.comparisons, c)
			}
		}
	})
	return u.comparisons
}

func (s *Summaries) comparison(instr ssa.Instruction) (comparison, bool) {
	var c comparison
	var x, y ssa.Value
	switch instr := instr.(type) {
	case *ssa.BinOp:
		c.answer, x, y = instr, instr.X, instr.Y
		switch instr.Op {
		case token.EQL:
			c.same = paths.True
		case token.NEQ:
			c.same = paths.False
		}
		if c.same == paths.Unknown || !blocks.IsLoad(x) || !blocks.IsLoad(y) {
			return c, false
		}
	case *ssa.Call:
		var ok bool
		if x, y, ok = kubeapi.Compared(instr.Common()); !ok {
			return c, false
		}
		c.answer, c.same = instr, paths.True
	default:
		return c, false
	}
	c.sides = [2]paths.Place{s.Resolve.Place(x), s.Resolve.Place(y)}
	for i, v := range []ssa.Value{x, y} {
		if c.sides[i].Kind == nil && (kubeapi.KindBehind(v) == nil || blocks.IsLoad(v)) {
			return c, false
		}
	}
	return c, slices.Equal(c.sides[0].Sub, c.sides[1].Sub)
}

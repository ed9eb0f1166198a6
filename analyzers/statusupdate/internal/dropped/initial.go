package dropped

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
)

// saysNothing reports whether all that is set in the status of an object is what
// the package takes an empty status for, so that nothing is lost if it is dropped.
func (u *unit) saysNothing(object paths.Object) bool {
	found := false
	for _, s := range u.Sites {
		if !subject.IsStatus(s.Event) || !u.MayBe(s.Place.Object, object) {
			continue
		}
		store, ok := s.Node.Instr.(*ssa.Store)
		if !ok {
			return false
		}
		if !u.storesEmpty(s.Place, store.Val) {
			return false
		}
		found = true
	}
	return found
}

// storesEmpty reports whether what is stored in a place means the same as nothing:
// a constant, or a literal of such fields.
func (u *unit) storesEmpty(at paths.Place, v ssa.Value) bool {
	if value, ok := v.(*ssa.Const); ok {
		return value.Value != nil && u.meansEmpty(at, value.Value)
	}
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	literal, ok := load.X.(*ssa.Alloc)
	if !ok || literal.Comment != "complit" {
		return false
	}
	for _, ref := range *literal.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			store, ok := soleStore(ref)
			if !ok || !u.storesEmpty(at.Child(literal.Type(), calls.FieldOf(literal.Type(), ref.Field).Name()), store.Val) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// soleStore returns the store that is the only use of an address.
func soleStore(addr *ssa.FieldAddr) (*ssa.Store, bool) {
	if addr.Referrers() == nil || len(*addr.Referrers()) != 1 {
		return nil, false
	}
	store, ok := (*addr.Referrers())[0].(*ssa.Store)
	return store, ok && store.Addr == addr
}

// meansEmpty reports whether a function of the package compares a field with a
// value and with the empty one as well: it takes the two for the same.
func (u *unit) meansEmpty(field paths.Place, value constant.Value) bool {
	empty := zeroOf(value)
	if empty == nil {
		return false
	}
	for _, fn := range u.Calls.Funcs {
		values := u.comparedWith(fn, field)
		with := func(v constant.Value) bool {
			return slices.ContainsFunc(values, func(c constant.Value) bool { return c.Kind() == v.Kind() && constant.Compare(c, token.EQL, v) })
		}
		if len(values) > 1 && with(value) && with(empty) {
			return true
		}
	}
	return false
}

func zeroOf(v constant.Value) constant.Value {
	switch v.Kind() {
	case constant.String:
		return constant.MakeString("")
	case constant.Int:
		return constant.MakeInt64(0)
	}
	return nil
}

// comparedWith returns the constants that a function compares a field of a kind
// with.
func (u *unit) comparedWith(fn *ssa.Function, field paths.Place) []constant.Value {
	var values []constant.Value
	for op := range blocks.InstrsOf[*ssa.BinOp](fn) {
		if op.Op != token.EQL && op.Op != token.NEQ {
			continue
		}
		value, ok := op.Y.(*ssa.Const)
		load, isLoad := op.X.(*ssa.UnOp)
		if !ok || value.Value == nil || !isLoad || load.Op != token.MUL {
			continue
		}
		if p := u.Resolve.Place(load.X); p.Kind == field.Kind && slices.Equal(p.Sub, field.Sub) {
			values = append(values, value.Value)
		}
	}
	return values
}

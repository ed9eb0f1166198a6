package loops

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// LeftOnlyWhenTold reports whether all ways out of the loop depend on which
// channel of a select was ready, on a channel being closed, or on a context
// being done. A timer ends a loop by itself, and so does a context that
// expires.
func (l *Loop) LeftOnlyWhenTold(expires func(ctx ssa.Value) bool) bool {
	for _, exit := range l.Exits() {
		if _, panics := blocks.Last(exit.To).(*ssa.Panic); panics {
			continue
		}
		if sel, _ := SelectCase(exit.Cond); sel != nil {
			for _, state := range exit.cases() {
				if !stopSignal(state.Chan, expires) {
					return false
				}
			}
			continue
		}
		if exit.Cond == nil || !told(exit.Cond, expires) {
			return false
		}
	}
	return true
}

// cases returns the cases of a select that lead to a way out: the one that its
// condition asks for, or those that come after it if they all leave. A default
// is none.
func (e Exit) cases() []*ssa.SelectState {
	sel, state := SelectCase(e.Cond)
	if e.When {
		if state == nil {
			return nil
		}
		return []*ssa.SelectState{state}
	}
	var found []*ssa.SelectState
	for block := e.To; ; block = block.Succs[1] {
		branch, ok := blocks.Last(block).(*ssa.If)
		if !ok {
			return found
		}
		next, state := SelectCase(branch.Cond)
		if next != sel || state == nil {
			return found
		}
		found = append(found, state)
	}
}

// told reports whether a condition asks if somebody said stop.
func told(cond ssa.Value, expires func(ssa.Value) bool) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return told(c.X, expires)
		}
	case *ssa.BinOp:
		if extract, ok := c.X.(*ssa.Extract); ok {
			return told(extract, expires)
		}
		return told(c.X, expires) || told(c.Y, expires)
	case *ssa.Extract:
		switch tuple := c.Tuple.(type) {
		case *ssa.Select:
			return true
		case *ssa.UnOp:
			return tuple.Op == token.ARROW
		}
	case *ssa.Call:
		ctx := ErrOf(c)
		return ctx != nil && !expires(ctx)
	}
	return false
}

// SelectCase returns the select that a condition asks about, with the case
// that it compares the outcome with: nil for the default.
func SelectCase(cond ssa.Value) (*ssa.Select, *ssa.SelectState) {
	compare, ok := cond.(*ssa.BinOp)
	if !ok || compare.Op != token.EQL {
		return nil, nil
	}
	extract, ok := compare.X.(*ssa.Extract)
	if !ok || extract.Index != 0 {
		return nil, nil
	}
	sel, ok := extract.Tuple.(*ssa.Select)
	if !ok {
		return nil, nil
	}
	k, ok := compare.Y.(*ssa.Const)
	if !ok || k.Value == nil {
		return nil, nil
	}
	if i := int(k.Int64()); 0 <= i && i < len(sel.States) {
		return sel, sel.States[i]
	}
	return sel, nil
}

// stopSignal reports whether a channel is a signal from elsewhere: not a
// timer's, and not that of a context with a deadline.
func stopSignal(ch ssa.Value, expires func(ssa.Value) bool) bool {
	if ctx := kubeapi.DoneOf(ch); ctx != nil {
		return !expires(ctx)
	}
	return !IsTimer(ch)
}

// ErrOf returns the context whose Err a call asks for, or nil.
func ErrOf(v ssa.Value) ssa.Value { return kubeapi.ContextAsked(v, "Err") }

// NeverLeft reports whether the loop has no way out, or none but the closing of
// a ticker's channel, which never happens.
func (l *Loop) NeverLeft() bool {
	for _, exit := range l.Exits() {
		extract, ok := exit.Cond.(*ssa.Extract)
		if !ok {
			return false
		}
		receive, ok := extract.Tuple.(*ssa.UnOp)
		if !ok || receive.Op != token.ARROW || !IsTimer(receive.X) {
			return false
		}
	}
	return true
}

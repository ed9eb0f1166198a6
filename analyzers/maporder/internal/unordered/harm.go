package unordered

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Harms reports whether another order of what an object gets leads to something: of the
// spec, that it is written again or compared. A list in the status starts nothing by itself;
// it has to be compared in its order, so that each other order is a write, or the controller
// has to hear each change of it. Texts there are for people; another one counts if the package itself asks whether the text has changed.
func (l *Lists) Harms(e End) bool { return e.Applied || l.fateOf(e).harms }

// An outcome is what becomes of an object.
type outcome struct {
	harms bool
	back  []result // what returns it to other packages, if that is all
}

func (l *Lists) fateOf(e End) outcome {
	known, ok := l.fates[e.Addr]
	if ok {
		return known
	}
	field, isField := e.Addr.(*ssa.FieldAddr)
	switch {
	case !isField || l.sums.Resolve.Place(field).Aspect() != kubeapi.Status && !kubeapi.IsOnlyInStatus(field.X.Type()):
		f := newFate(l.sums, false)
		if known.harms = f.follow(e.Addr, 0); !known.harms {
			known.back = f.back
		}
	case kubeapi.IsString(calls.FieldOf(field.X.Type(), field.Field).Type()):
		known.harms = isTextCompared(l.sums.Calls, field)
	default:
		known.harms = newFate(l.sums, true).follow(e.Addr, 0) || l.isHeard(e.Addr)
	}
	l.fates[e.Addr] = known
	return known
}

// isHeard reports whether the status that an address lies in is written, and its kind is that
// of a controller of the package which runs again for each change of it.
func (l *Lists) isHeard(addr ssa.Value) bool {
	f := newFate(l.sums, false)
	return len(l.heard) > 0 && f.follow(addr, 0) && f.written != nil && l.heard[kubeapi.KindID(f.written)]
}

// isTextCompared reports whether a function of the package compares two texts of a field.
func isTextCompared(graph *calls.Graph, field *ssa.FieldAddr) bool {
	of := calls.FieldOf(field.X.Type(), field.Field)
	is := func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.UnOp:
			addr, ok := v.X.(*ssa.FieldAddr)
			return ok && calls.FieldOf(addr.X.Type(), addr.Field) == of
		case *ssa.Field:
			return calls.FieldOf(v.X.Type(), v.Field) == of
		}
		return false
	}
	for _, fn := range graph.Funcs {
		for op := range blocks.InstrsOf[*ssa.BinOp](fn) {
			if (op.Op == token.EQL || op.Op == token.NEQ) && is(op.X) && is(op.Y) {
				return true
			}
		}
	}
	return false
}

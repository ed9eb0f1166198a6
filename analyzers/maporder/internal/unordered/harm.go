package unordered

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Harms reports whether another order of what an object gets certainly leads to something: it
// is applied, or compared with what is stored, by CreateOrUpdate as well, or the controller
// runs again for each write of another one. What is merely written, nobody may heed.
func (l *Lists) Harms(e End) bool { return e.Applied || l.fateOf(e).harms }

// An outcome is what becomes of an object.
type outcome struct {
	harms bool
	back  []result // what returns it to other packages, if that is all
	way   []string // the fields that lead from there to what is in a map's order
}

func (l *Lists) fateOf(e End) outcome {
	known, ok := l.fates[e.Addr]
	if ok {
		return known
	}
	field, isField := e.Addr.(*ssa.FieldAddr)
	inStatus := isField && (l.sums.Resolve.Place(field).Aspect() == kubeapi.Status || kubeapi.IsOnlyInStatus(field.X.Type()))
	if inStatus && kubeapi.IsString(calls.FieldOf(field.X.Type(), field.Field).Type()) {
		known.harms = isTextCompared(l.sums.Calls, field) // other texts are for people
	} else {
		f := newFate(l.sums, inStatus, e.Way)
		known.harms = f.follow(e.Addr, 0)
		if inStatus {
			known.harms = known.harms || isHeard(l.heard, f.kinds) && !l.changesAnyhow(field)
		} else {
			known.harms = known.harms || isHeard(l.owned, f.owned)
		}
		if !known.harms && !f.written && !inStatus {
			known.back, known.way = f.back, slices.Sorted(maps.Keys(f.way))
		}
	}
	l.fates[e.Addr] = known
	return known
}

func isHeard(heard map[string]bool, written []*types.Named) bool {
	return slices.ContainsFunc(written, func(kind *types.Named) bool { return heard[kubeapi.KindID(kind)] })
}

// isTextCompared reports whether a function of the package compares two texts of a field, and
// not also two times of the struct by ==, which tells what was made now from what was read.
func isTextCompared(graph *calls.Graph, field *ssa.FieldAddr) bool {
	text := calls.FieldOf(field.X.Type(), field.Field)
	return slices.ContainsFunc(graph.Funcs, func(fn *ssa.Function) bool {
		return comparesFields(fn, field, func(of *types.Var) bool { return of == text }) &&
			!comparesFields(fn, field, func(of *types.Var) bool { return kubeapi.IsInSeconds(of.Type()) })
	})
}

// comparesFields reports whether a function compares by == what two structs of a type have in
// one field of a sort.
func comparesFields(fn *ssa.Function, in *ssa.FieldAddr, is func(*types.Var) bool) bool {
	fieldOf := func(v ssa.Value) *types.Var {
		switch v := v.(type) {
		case *ssa.UnOp:
			if addr, ok := v.X.(*ssa.FieldAddr); ok && types.Identical(addr.X.Type(), in.X.Type()) {
				return calls.FieldOf(addr.X.Type(), addr.Field)
			}
		case *ssa.Field:
			if types.Identical(v.X.Type(), kubeapi.Deref(in.X.Type())) {
				return calls.FieldOf(v.X.Type(), v.Field)
			}
		}
		return nil
	}
	return blocks.Any(fn, func(op *ssa.BinOp) bool {
		x := fieldOf(op.X)
		return (op.Op == token.EQL || op.Op == token.NEQ) && x != nil && is(x) && x == fieldOf(op.Y)
	})
}

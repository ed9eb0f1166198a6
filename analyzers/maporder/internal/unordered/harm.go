package unordered

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Harms reports whether another order of what an object gets certainly leads to something: it
// is applied, or compared with what is stored, by CreateOrUpdate as well, or it is written over
// what the controller owns, and runs it again. What is merely written, nobody may heed, and a
// status that is written each time mostly holds a time as well, which is another one anyhow.
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
	if !isField || !isForPeople(calls.FieldOf(field.X.Type(), field.Field).Type(), inStatus) {
		f := newFate(l.sums, inStatus, e.Way)
		known.harms = f.follow(e.Addr, 0)
		if inStatus {
			known.harms = known.harms && !l.changesAnyhow(field)
		} else {
			known.harms = known.harms || l.isHeard(f.owned)
		}
		if !known.harms && !f.written && !inStatus {
			known.back, known.way = f.back, slices.Sorted(maps.Keys(f.way))
		}
	}
	l.fates[e.Addr] = known
	return known
}

func (l *Lists) isHeard(written []*types.Named) bool {
	return slices.ContainsFunc(written, func(kind *types.Named) bool { return l.owned[kubeapi.KindID(kind)] })
}

// isForPeople reports whether what a field holds is for people to read: errors, or the text of a status.
func isForPeople(field types.Type, inStatus bool) bool {
	return kubeapi.IsErrors(field) || inStatus && kubeapi.IsString(field)
}

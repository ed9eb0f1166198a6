package unordered

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// IsSummed reports whether somebody may ask a hash for its sum: two hashes that are only
// compared by == are two objects, which differ whatever was written into them.
func (l *Lists) IsSummed(hash ssa.Value) bool {
	compared := false
	for v, use := range (values.Relation{Calls: l.graph, Steps: values.Package}).Uses(hash) {
		switch use := use.(type) {
		case *ssa.BinOp:
			compared = true
		case *ssa.Call:
			callee := kubeapi.Callee(use.Common())
			if recv, _ := kubeapi.Args(use.Common()); recv == v && callee != nil && kubeapi.SumsHash(callee) {
				return true
			}
		}
	}
	return !compared
}

// changesAnyhow reports whether what a field of a status holds is stamped with the time, or the
// function that sets it sets another one wherever it does so, to what is hardly ever the same
// twice: a time, how long something took, or something random. That it does is for selftrigger to tell.
func (l *Lists) changesAnyhow(field *ssa.FieldAddr) bool {
	if l.stampsElements(calls.FieldOf(field.X.Type(), field.Field).Type()) {
		return true
	}
	around := slices.Collect(blocks.Above(field.Block()))
	return blocks.Any(field.Parent(), func(store *ssa.Store) bool {
		return l.inSameStatus(store.Addr, field) && l.isNeverTheSame(store.Val) &&
			!slices.ContainsFunc(slices.Collect(blocks.Above(store.Block())), func(branch *ssa.If) bool { return !slices.Contains(around, branch) && !isOfError(branch) })
	})
}

// inSameStatus reports whether an address is that of a part of the status to which a field belongs:
// of the same object, or of a status that no object has yet.
func (l *Lists) inSameStatus(addr ssa.Value, field *ssa.FieldAddr) bool {
	if place := l.sums.Resolve.Place(addr); place.Kind != nil {
		return place.Aspect() == kubeapi.Status && place.Object == l.sums.Resolve.Place(field).Object
	}
	other, ok := addr.(*ssa.FieldAddr)
	return ok && types.Identical(other.X.Type(), field.X.Type()) && kubeapi.IsOnlyInStatus(field.X.Type())
}

// stampsElements reports whether what a list holds, conditions as a rule, is made with the time of
// the moment wherever the package makes it.
func (l *Lists) stampsElements(list types.Type) bool {
	slice, ok := list.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	stamped := false
	for _, fn := range l.sums.Calls.Funcs {
		for store := range blocks.InstrsOf[*ssa.Store](fn) {
			field, ok := store.Addr.(*ssa.FieldAddr)
			if !ok || !kubeapi.IsAPITime(store.Val.Type()) || !types.Identical(kubeapi.Deref(field.X.Type()), kubeapi.Deref(slice.Elem())) {
				continue
			}
			if !l.isNeverTheSame(store.Val) {
				return false // what was there before is kept, say
			}
			stamped = true
		}
	}
	return stamped
}

// isOfError reports whether a branch asks for a failure.
func isOfError(branch *ssa.If) bool {
	test, ok := branch.Cond.(*ssa.BinOp)
	return ok && (test.Op == token.EQL || test.Op == token.NEQ) && kubeapi.IsError(test.X.Type())
}

func (l *Lists) isNeverTheSame(v ssa.Value) bool {
	fine := values.Relation{Calls: l.graph, Steps: values.Local, More: func(v ssa.Value) []ssa.Value {
		if stored := values.Stored(v); stored != nil {
			return stored // the field is a pointer to it
		}
		call, ok := v.(*ssa.Call)
		if !ok {
			return nil
		}
		recv, _ := kubeapi.Args(call.Common())
		if callee := kubeapi.Callee(call.Common()); recv != nil && (kubeapi.IsDuration(recv.Type()) || kubeapi.IsTime(recv.Type())) && slices.Contains(fineGrained, callee.Name()) {
			return []ssa.Value{recv}
		}
		return nil
	}}
	return fine.Any(v, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		if !ok {
			return false
		}
		callee := kubeapi.Callee(call.Common())
		return kubeapi.TellsTime(callee) || kubeapi.IsRandom(callee) || kubeapi.TimeSince(call.Common()) != nil
	})
}

// fineGrained are the methods of times and durations that say more than the seconds.
var fineGrained = []string{"String", "Nanoseconds", "Microseconds", "UnixNano", "UnixMicro", "UTC", "Local"}

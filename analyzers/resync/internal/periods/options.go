package periods

import (
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// option looks at what is stored into SyncPeriod of the options of
// controller-runtime's cache, or, as it once was, of its manager.
func (i *Periods) option(store *ssa.Store) {
	addr, ok := store.Addr.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsRuntimeSyncPeriod(addr.X.Type(), addr.Field) {
		return
	}
	period, value, ok := i.pointedTo(store.Val)
	if !ok || period <= 0 {
		return
	}
	site := Site{Instr: store, Period: period, Value: value, Target: Cache}
	if made, ok := addr.X.(*ssa.Alloc); ok {
		site.Reach = selections(made)
	}
	i.Sites = append(i.Sites, site)
}

// selections tells which defaults for all kinds the options of a cache have.
func selections(made *ssa.Alloc) Reach {
	reach := Wide
	for addr := range blocks.UsesOf[*ssa.FieldAddr](made) {
		switch calls.FieldName(addr) {
		case "DefaultFieldSelector":
			reach = Narrow
		case "DefaultLabelSelector", "DefaultSelector":
			reach = max(reach, Doubtful)
		}
	}
	return reach
}

// pointedTo returns the duration that a pointer surely points to.
func (i *Periods) pointedTo(v ssa.Value) (time.Duration, ssa.Value, bool) {
	switch v := v.(type) {
	case *ssa.Call:
		// ptr.To, pointer.Duration and helpers like these.
		_, args := kubeapi.Args(v.Common())
		if len(args) == 1 && kubeapi.IsDuration(args[0].Type()) {
			d, ok := i.durations.Duration(args[0])
			return d, args[0], ok
		}
	case *ssa.Alloc:
		if slices.ContainsFunc(*v.Referrers(), leaks) {
			return 0, nil, false
		}
		return i.agreed(calls.StoredInto(v))
	case *ssa.Global:
		if v.Object() == nil || v.Object().Exported() && v.Pkg.Pkg.Name() != "main" {
			return 0, nil, false
		}
		if !i.getsOut(v) {
			return i.agreed(i.graph.Stored(v.Object()))
		}
	}
	return 0, nil, false
}

// agreed returns the duration that all values are.
func (i *Periods) agreed(values []ssa.Value) (all time.Duration, value ssa.Value, ok bool) {
	for n, v := range values {
		d, known := i.durations.Duration(v)
		if !known || n > 0 && d != all {
			return 0, nil, false
		}
		all, value = d, v
	}
	return all, value, len(values) > 0
}

// leaks reports whether an instruction hands the address of a variable to
// something that may change it, such as a flag set.
func leaks(ref ssa.Instruction) bool {
	switch ref.(type) {
	case *ssa.Store, *ssa.UnOp, *ssa.MakeClosure:
		return false
	}
	return true
}

// getsOut reports whether the address of a variable of the package gets out of sight.
func (i *Periods) getsOut(global *ssa.Global) bool {
	return slices.ContainsFunc(i.graph.All(), func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(instr ssa.Instruction) bool {
			return leaks(instr) && slices.ContainsFunc(instr.Operands(nil), func(operand *ssa.Value) bool { return *operand == ssa.Value(global) })
		})
	})
}

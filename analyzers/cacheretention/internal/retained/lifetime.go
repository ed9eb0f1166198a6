package retained

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// isLasting reports whether a value lives as long as the process: a
// package-level variable, what a handler or reconciler is a method of or has
// captured, and what is kept in those. Nil stands for a variable that is no
// field.
func (i *Retentions) isLasting(v ssa.Value) bool {
	if v == nil {
		return true
	}
	known, ok := i.lasting[v]
	if !ok {
		known = i.ways().Any(v, i.livesLong)
		i.lasting[v] = known
	}
	return known
}

// ways lead to what keeps a value.
func (i *Retentions) ways() values.Relation {
	return values.Relation{Calls: i.graph, Steps: values.Same | values.Held | values.Address | values.Given | values.Selected, Until: i.isReassigned, More: func(v ssa.Value) []ssa.Value {
		if entry, ok := v.(*ssa.Lookup); ok {
			return []ssa.Value{entry.X}
		}
		// A variable that a literal has captured, and the parameter that was
		// stored in it.
		return values.Stored(v)
	}}
}

// livesLong reports whether a value is there for as long as the process by itself.
func (i *Retentions) livesLong(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Global:
		return true
	case *ssa.Parameter:
		return calls.IsReceiver(v) && i.isHandler(v.Parent())
	case *ssa.FreeVar:
		return i.isHandler(v.Parent())
	}
	return false
}

// isHandler reports whether the ecosystem calls a function again and again for
// as long as the process runs.
func (i *Retentions) isHandler(fn *ssa.Function) bool {
	return slices.ContainsFunc(i.objects.Entries.Of(fn), func(entry *entrypoints.Entry) bool {
		return entry.Kind.PerEvent() || entry.Kind.PerItem()
	})
}

// staysSame reports whether the package assigns a field only where it makes
// the struct.
func (i *Retentions) staysSame(addr *ssa.FieldAddr) bool {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	if field == nil || field.Pkg() != i.pass.Pkg {
		return true
	}
	return !slices.ContainsFunc(i.graph.Stores(field), func(store *ssa.Store) bool { return !calls.IsOwn(store.Addr) })
}

package retained

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isLasting reports whether a value lives as long as the process: a
// package-level variable, what a handler or reconciler is a method of or has
// captured, and what is kept in those. Nil stands for a variable that is no
// field.
func (i *Retentions) isLasting(v ssa.Value) bool {
	if known, ok := i.lasting[v]; ok {
		return known
	}
	// What has been looked at on the way to a no lasts no longer either; after
	// a yes, it may have been cut short.
	visited := make(map[ssa.Value]bool)
	lasts := i.findLasting(v, visited)
	if !lasts {
		for other := range visited {
			i.lasting[other] = false
		}
	}
	i.lasting[v] = lasts
	return lasts
}

func (i *Retentions) findLasting(v ssa.Value, visited map[ssa.Value]bool) bool {
	if known, ok := i.lasting[v]; ok {
		return known
	}
	if visited[v] {
		return false
	}
	visited[v] = true
	if x := kubeapi.Converted(v); x != nil {
		return i.findLasting(x, visited)
	}
	switch v := v.(type) {
	case nil:
		return true
	case *ssa.Global:
		return true
	case *ssa.Parameter:
		fn := v.Parent()
		if fn.Signature.Recv() != nil && fn.Params[0] == v && i.isHandler(fn) {
			return true
		}
		for _, call := range i.graph.Callers(fn) {
			if arg := calls.ArgumentOf(call, v); arg != nil && i.findLasting(arg, visited) {
				return true
			}
		}
	case *ssa.FreeVar:
		if i.isHandler(v.Parent()) {
			return true
		}
		return i.findLasting(i.graph.Binding(v), visited)
	case *ssa.Alloc:
		// A variable that a literal has captured, and the parameter that was
		// stored in it.
		for _, stored := range calls.StoredInto(v) {
			if i.findLasting(stored, visited) {
				return true
			}
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if addr, ok := v.X.(*ssa.FieldAddr); ok && !i.staysSame(addr) {
				return false
			}
			return i.findLasting(v.X, visited)
		}
	case *ssa.FieldAddr:
		return i.findLasting(v.X, visited)
	case *ssa.Field:
		return i.findLasting(v.X, visited)
	case *ssa.Lookup:
		return i.findLasting(v.X, visited)
	}
	return false
}

// isHandler reports whether the ecosystem calls a function again and again for
// as long as the process runs.
func (i *Retentions) isHandler(fn *ssa.Function) bool {
	for _, entry := range i.objects.Entries.Of(fn) {
		if entry.Kind.PerEvent() || entry.Kind.PerItem() {
			return true
		}
	}
	return false
}

// staysSame reports whether the package assigns a field only where it makes
// the struct.
func (i *Retentions) staysSame(addr *ssa.FieldAddr) bool {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	if field == nil || field.Pkg() != i.pass.Pkg {
		return true
	}
	if i.reassigned == nil {
		i.reassigned = make(map[*types.Var]bool)
		i.graph.Each(func(instr ssa.Instruction) {
			store, ok := instr.(*ssa.Store)
			if !ok || calls.IsOwn(store.Addr) {
				return
			}
			to, ok := store.Addr.(*ssa.FieldAddr)
			if !ok {
				return
			}
			if f := calls.FieldOf(to.X.Type(), to.Field); f != nil {
				i.reassigned[f] = true
			}
		})
	}
	return !i.reassigned[field]
}

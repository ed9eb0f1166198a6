package handlergoroutine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
)

// race answers whether an object that a goroutine holds is seen to change while somebody
// else uses it.
type race struct {
	graph *calls.Graph
	kind  *types.Named
	seen  map[*ssa.Function]bool
	// held is what the objects come from that the goroutine is given.
	held map[ssa.Value]bool
}

// races reports whether the object that a goroutine holds is changed by the functions that go
// on beside it, or by the goroutine while others have the object: those functions, or an
// informer's cache. What a client has read is a copy, which only its reader has.
func races(graph *calls.Graph, entry *entrypoints.Entry, leak *goroutines.Leak) bool {
	kind := kubeapi.KindOf(leak.Object)
	if kind == nil || leak.Spawn == nil {
		return false
	}
	r := &race{graph: graph, kind: kind, seen: make(map[*ssa.Function]bool), held: make(map[ssa.Value]bool)}
	for _, at := range leak.Chain {
		r.hold(at)
	}
	changed := slices.ContainsFunc(leak.Spawn.Bodies, r.changesIn)
	if changed && entry.Kind.PerEvent() {
		return true
	}
	for _, at := range leak.Chain {
		if used, written := r.beside(at, leak.Spawn.Bodies); written || used && changed {
			return true
		}
	}
	return false
}

// hold notes the objects that a call hands over, also by a literal that captures them.
func (r *race) hold(at ssa.CallInstruction) {
	given := slices.Clone(at.Common().Args)
	for _, v := range append(given, at.Common().Value) {
		if closure, ok := v.(*ssa.MakeClosure); ok {
			given = append(given, closure.Bindings...)
		}
	}
	for _, v := range given {
		for end := range r.local().Ends(v) {
			if kubeapi.KindOf(end.Type()) == r.kind {
				r.held[end] = true
			}
		}
	}
}

func (r *race) local() values.Relation { return values.Relation{Calls: r.graph, Steps: values.Local} }

// beside reports whether a function that starts the goroutine, or calls what starts it, still
// uses the object afterwards, and whether it changes it.
func (r *race) beside(at ssa.CallInstruction, bodies []*ssa.Function) (used, written bool) {
	fn := at.Parent()
	for instr := range blocks.Instrs(fn) {
		if at == instr || !r.concerns(instr) {
			continue
		}
		if _, deferred := instr.(*ssa.Defer); deferred || blocks.Follows(at, instr) {
			used = true
			written = written || r.changes(instr)
		}
	}
	for _, literal := range fn.AnonFuncs {
		if calls.Deferred(literal) != nil && !slices.Contains(bodies, literal) {
			written = written || r.changesIn(literal)
		}
	}
	return used || written, written
}

// concerns reports whether an instruction uses an object of the kind.
func (r *race) concerns(instr ssa.Instruction) bool {
	var operands blocks.Operands
	return slices.ContainsFunc(operands.Of(instr), func(v *ssa.Value) bool {
		return *v != nil && kubeapi.KindOfValue(*v) == r.kind
	})
}

// maxBodies bounds the functions that are looked through for one goroutine.
const maxBodies = 20

func (r *race) changesIn(fn *ssa.Function) bool {
	if r.seen[fn] || len(r.seen) > maxBodies {
		return false
	}
	r.seen[fn] = true
	return blocks.Any(fn, r.changes)
}

// changes reports whether an instruction writes to a field of an object of the kind that its
// function has not made or read itself, has a client fill it in with the response, or hands it
// to a function that does so.
func (r *race) changes(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		addr := instr.Addr
		for {
			field, ok := addr.(*ssa.FieldAddr)
			if !ok {
				return false
			}
			if kubeapi.KindOf(field.X.Type()) == r.kind {
				return !r.isOwn(field.X, instr.Parent())
			}
			addr = field.X
		}
	case ssa.CallInstruction:
		if op, ok := kubeapi.ClientOp(instr.Common()); ok {
			return op.Object != nil && kubeapi.KindOfValue(op.Object) == r.kind && !r.isOwn(op.Object, instr.Parent())
		}
		given := slices.ContainsFunc(instr.Common().Args, func(arg ssa.Value) bool {
			return kubeapi.KindOfValue(arg) == r.kind && !r.isOwn(arg, instr.Parent())
		})
		return given && slices.ContainsFunc(r.graph.Callees(instr).Funcs, r.changesIn)
	}
	return false
}

// isOwn reports whether an object is one that fn has made, read or copied for itself.
func (r *race) isOwn(object ssa.Value, fn *ssa.Function) bool {
	return r.local().All(object, func(v ssa.Value) bool {
		if r.held[v] {
			return false
		}
		switch v := v.(type) {
		case *ssa.Alloc:
			return v.Parent() == fn && kubeapi.KindOf(v.Type()) == r.kind
		case *ssa.Call, *ssa.Extract:
			return v.(ssa.Instruction).Parent() == fn
		}
		return false
	})
}

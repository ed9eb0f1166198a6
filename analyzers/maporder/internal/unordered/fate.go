package unordered

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// fate finds out what becomes of an object of which a part is in a map's order: an
// object that is only created is never compared with another one, and its order
// harms nobody.
type fate struct {
	sums  *objects.Summaries
	seen  map[ssa.Value]bool
	held  map[*types.Var]bool // fields of structs that were looked for
	steps int
	back  []result // what functions return that have it
	// written is the kind of the object that is written over a stored one, if that is known.
	written *types.Named
	// comparedOnly leaves writes out: only a comparison counts.
	comparedOnly bool
}

const maxFateSteps = 20_000 // uses; a large operator holds its object in one struct

func newFate(sums *objects.Summaries, comparedOnly bool) *fate {
	return &fate{sums: sums, seen: make(map[ssa.Value]bool), held: make(map[*types.Var]bool), comparedOnly: comparedOnly}
}

// follow follows what a value is a part of, and then its uses.
func (f *fate) follow(v ssa.Value, depth int) bool {
	if v == nil || f.seen[v] || depth > maxDepth {
		return false
	}
	f.seen[v] = true
	return f.whole(v, depth) || f.usedAgain(v, depth)
}

// whole goes on to what a value was taken out of.
func (f *fate) whole(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return f.follow(v.X, depth)
	case *ssa.IndexAddr:
		return f.follow(v.X, depth)
	case *ssa.UnOp:
		if field, ok := v.X.(*ssa.FieldAddr); ok && kubeapi.KindOf(v.Type()) != nil {
			return f.holder(field, depth)
		}
		return f.follow(v.X, depth)
	}
	if _, isParam := v.(*ssa.Parameter); isParam {
		depth++
	}
	same := values.Relation{Calls: f.sums.Calls, Steps: values.Local | values.Given}
	from, _ := same.Sources(v)
	return slices.ContainsFunc(from, func(v ssa.Value) bool { return f.follow(v, depth) })
}

// holder follows an object that a struct holds, wherever the package takes it out of
// there.
func (f *fate) holder(at *ssa.FieldAddr, depth int) bool {
	field := calls.FieldOf(at.X.Type(), at.Field)
	if field == nil || f.held[field] {
		return false
	}
	f.held[field] = true
	for _, fn := range f.sums.Calls.All() {
		for instr := range blocks.Instrs(fn) {
			addr, ok := instr.(*ssa.FieldAddr)
			if ok && calls.FieldOf(addr.X.Type(), addr.Field) == field && f.follow(addr, depth+1) {
				return true
			}
		}
	}
	return false
}

// usedAgain follows a value's uses.
func (f *fate) usedAgain(v ssa.Value, depth int) bool {
	if v.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(ref ssa.Instruction) bool {
		if f.steps++; f.steps > maxFateSteps {
			return false
		}
		return f.use(v, ref, depth)
	})
}

func (f *fate) use(v ssa.Value, ref ssa.Instruction, depth int) bool {
	switch ref := ref.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return f.partUsed(ref.(ssa.Value))
	case *ssa.Phi, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Slice, *ssa.Extract, *ssa.UnOp, *ssa.TypeAssert:
		return f.follow(ref.(ssa.Value), depth)
	case *ssa.Store:
		return ref.Val == v && f.follow(ref.Addr, depth)
	case *ssa.MapUpdate:
		return ref.Value == v && f.follow(ref.Map, depth)
	case *ssa.MakeClosure:
		for i, bound := range ref.Bindings {
			if fn, ok := ref.Fn.(*ssa.Function); ok && bound == v && i < len(fn.FreeVars) && f.follow(fn.FreeVars[i], depth) {
				return true
			}
		}
	case *ssa.Return:
		return f.returned(v, ref, depth)
	case ssa.CallInstruction:
		return f.call(v, ref, depth)
	}
	return false
}

// partUsed reports whether a part of the object is compared.
func (f *fate) partUsed(part ssa.Value) bool {
	if part.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*part.Referrers(), func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp, *ssa.MakeInterface:
			f.steps++
			return f.steps < maxFateSteps && f.partUsed(ref.(ssa.Value))
		case ssa.CallInstruction:
			return isCompared(ref.Common(), part)
		}
		return false
	})
}

func isCompared(common *ssa.CallCommon, v ssa.Value) bool {
	comparison := kubeapi.ComparisonOf(common)
	return comparison.Kind != kubeapi.NoComparison && (comparison.X == v || comparison.Y == v)
}

// returned goes on where the function is called.
func (f *fate) returned(v ssa.Value, ret *ssa.Return, depth int) bool {
	if kubeapi.IsAPIStruct(v.Type()) {
		f.back = append(f.back, result{ret.Parent(), slices.Index(ret.Results, v)})
	}
	return EachResult(f.sums.Calls, ret, v, func(result ssa.Value) bool { return f.follow(result, depth+1) })
}

// call tells whether a call writes the object, or where it goes.
func (f *fate) call(v ssa.Value, call ssa.CallInstruction, depth int) bool {
	if isCompared(call.Common(), v) {
		return true
	}
	if op, ok := kubeapi.ClientOp(call.Common()); ok && !f.comparedOnly && op.Mutate != nil && kubeapi.Unboxed(op.Object) == kubeapi.Unboxed(v) {
		f.written = kubeapi.KindOfValue(v)
		return true // CreateOrUpdate
	}
	for _, e := range f.sums.Events(call) {
		if !f.comparedOnly && e.Kind == objects.Written && kubeapi.Unboxed(e.Arg) == kubeapi.Unboxed(v) && e.Write.Verb != kubeapi.Create && !f.isCreatedBefore(call, v) {
			f.written = kubeapi.KindOfValue(e.Arg)
			return true
		}
	}
	if result, ok := call.(*ssa.Call); ok && (Appends(result) || types.Identical(result.Type(), v.Type())) {
		return f.follow(result, depth) // a longer list, a copy, the builder itself
	}
	// A condition goes into a list.
	if fn := kubeapi.Callee(call.Common()); fn != nil {
		if mutations, ok := kubeapi.Mutations(fn); ok && len(mutations) == 1 {
			if ops := kubeapi.Operands(call.Common()); ops[mutations[0].Operand] != v {
				return f.follow(ops[mutations[0].Operand], depth)
			}
		}
	}
	for _, target := range f.sums.Calls.Callees(call).Funcs {
		for i, op := range kubeapi.Operands(call.Common()) {
			if op == v && i < len(target.Params) && f.follow(target.Params[i], depth+1) {
				return true
			}
		}
	}
	return false
}

// isCreatedBefore reports whether the function of a write has created the object itself: what
// it writes then nobody has written before.
func (f *fate) isCreatedBefore(write ssa.CallInstruction, v ssa.Value) bool {
	root := f.sums.Resolve.Place(v).Object.Root
	created := false
	for call := range blocks.InstrsOf[*ssa.Call](write.Parent()) {
		op, ok := f.sums.ClientOp(call.Common())
		if !ok {
			continue
		}
		result := calls.ResultOf(call, 0)
		about := result != nil && result == root || op.Object != nil && f.sums.Resolve.Place(op.Object).Object.Root == root
		switch {
		case !about:
		case op.Verb == kubeapi.Create && op.Mutate == nil:
			created = created || blocks.Precedes(call, write)
		case op.Verb.Reads(), op.Mutate != nil:
			return false // it may have been there
		}
	}
	return created
}

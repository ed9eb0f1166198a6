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
	"github.com/opvet/opvet/internal/passes/objects"
)

// fate finds out what becomes of an object of which a part is in a map's order: whether
// that part is compared, by itself or in what contains it, and what is written.
type fate struct {
	sums  *objects.Summaries
	seen  map[ssa.Value]bool
	held  map[*types.Var]bool // fields of structs that were looked for
	way   map[string]bool     // names of the fields that lead from the object to the part
	steps int
	back  []result // what functions return that have it
	// written tells that the object is written over a stored one; owned are the kinds of those
	// which nothing but errors keeps from being written, and to which the function of the write
	// gives an owner.
	written bool
	owned   []*types.Named
	// inStatus tells that the part is one of the status, which CreateOrUpdate compares and
	// does not store.
	inStatus bool
}

const (
	maxFateSteps = 20_000 // uses; a large operator holds its object in one struct
	maxFateDepth = 6      // calls and returns: a part, its template, the object, who syncs, who compares
)

func newFate(sums *objects.Summaries, inStatus bool, way []string) *fate {
	f := &fate{sums: sums, seen: make(map[ssa.Value]bool), held: make(map[*types.Var]bool), way: make(map[string]bool), inStatus: inStatus}
	for _, field := range way {
		f.way[field] = true
	}
	return f
}

// follow reports whether what a value is a part of is compared, or the value itself.
func (f *fate) follow(v ssa.Value, depth int) bool {
	if v == nil || f.seen[v] || depth > maxFateDepth {
		return false
	}
	f.seen[v] = true
	return f.whole(v, depth) || f.usedAgain(v, depth)
}

// whole goes on to what a value was taken out of.
func (f *fate) whole(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		f.way[calls.FieldName(v)] = true
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
	return slices.ContainsFunc(f.sums.Calls.All(), func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(addr *ssa.FieldAddr) bool { return calls.FieldAt(addr) == field && f.follow(addr, depth+1) })
	})
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
	if op, ok := ref.(*ssa.BinOp); ok {
		return isTextComparison(op)
	}
	switch ref := ref.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return f.partUsed(ref.(ssa.Value), depth)
	case *ssa.Phi, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.Slice, *ssa.Extract, *ssa.UnOp, *ssa.TypeAssert, *ssa.Convert:
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

// partUsed reports whether a part of the object is compared in which the other part is that
// is in a map's order.
func (f *fate) partUsed(part ssa.Value, depth int) bool {
	if addr, ok := part.(*ssa.FieldAddr); ok && !f.way[calls.FieldName(addr)] || part.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*part.Referrers(), func(ref ssa.Instruction) bool {
		if f.steps++; f.steps > maxFateSteps {
			return false
		}
		switch ref := ref.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp, *ssa.MakeInterface:
			return f.partUsed(ref.(ssa.Value), depth)
		case *ssa.BinOp:
			return isTextComparison(ref)
		case ssa.CallInstruction:
			return f.handedOn(part, ref, depth)
		}
		return false
	})
}

// isTextComparison reports whether two texts are compared of which neither is a constant, nor an
// element of a list in which the other one is looked for.
func isTextComparison(op *ssa.BinOp) bool {
	_, left := op.X.(*ssa.Const)
	_, right := op.Y.(*ssa.Const)
	return (op.Op == token.EQL || op.Op == token.NEQ) && kubeapi.IsString(op.X.Type()) && !left && !right && roundOf(op.X) == roundOf(op.Y)
}

// roundOf returns the index by which a loop has taken a value, or the struct that it is a field
// of, out of a list; nil for all other values.
func roundOf(v ssa.Value) ssa.Value {
	whole := values.Relation{Steps: values.Same | values.Address | values.Selected}
	element, ok := whole.End(v).(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	if _, constant := element.Index.(*ssa.Const); constant {
		return nil
	}
	return element.Index
}

func isCompared(common *ssa.CallCommon, v ssa.Value) bool {
	x, y, ok := kubeapi.ComparedInOrder(common)
	return ok && (x == v || y == v)
}

// returned goes on where the function is called.
func (f *fate) returned(v ssa.Value, ret *ssa.Return, depth int) bool {
	if kubeapi.IsAPIStruct(v.Type()) {
		f.back = append(f.back, result{ret.Parent(), slices.Index(ret.Results, v)})
	}
	return EachResult(f.sums.Calls, ret, v, func(result ssa.Value) bool { return f.follow(result, depth+1) })
}

// call tells whether a call compares the object, or where it goes, and notes writes of it.
func (f *fate) call(v ssa.Value, call ssa.CallInstruction, depth int) bool {
	if op, ok := kubeapi.ClientOp(call.Common()); ok && !f.inStatus && op.Mutate != nil && kubeapi.Unboxed(op.Object) == kubeapi.Unboxed(v) {
		return true // CreateOrUpdate compares
	}
	events := f.sums.Events(call)
	// A helper that reads the object into the same variable writes what it has read.
	read := slices.ContainsFunc(events, func(e objects.Event) bool {
		return e.Kind == objects.Refreshed && e.Via != nil && kubeapi.Unboxed(e.Arg) == kubeapi.Unboxed(v)
	})
	for _, e := range events {
		if e.Kind == objects.Written && !read && kubeapi.Unboxed(e.Arg) == kubeapi.Unboxed(v) && e.Write.Verb != kubeapi.Create && !f.isCreatedBefore(call, v) {
			f.written = true
			if kind := kubeapi.KindOfValue(e.Arg); kind != nil && isUnconditional(call) && setsOwner(call.Parent(), kind) {
				f.owned = append(f.owned, kind)
			}
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
	return f.handedOn(v, call, depth)
}

// handedOn reports whether a call compares a value, makes a hash of it, or runs what does.
func (f *fate) handedOn(v ssa.Value, call ssa.CallInstruction, depth int) bool {
	if isCompared(call.Common(), v) {
		return true
	}
	switch kubeapi.OrderUseOf(kubeapi.Callee(call.Common())) {
	case kubeapi.Hashes:
		return true
	case kubeapi.KeepsOrder:
		result, _ := call.(ssa.Value)
		return f.follow(result, depth)
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

// setsOwner reports whether a function gives an object of a kind an owner.
func setsOwner(fn *ssa.Function, kind *types.Named) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		op, ok := kubeapi.OwnerCallOf(call.Common())
		return ok && kubeapi.KindOfValue(op.Object) == kind
	})
}

// isUnconditional reports whether nothing but an error keeps a function from a call.
func isUnconditional(call ssa.CallInstruction) bool {
	for branch := range blocks.Decided(call.Block()) {
		if blocks.Repeats(branch.Block()) && !blocks.Reaches(call.Block(), branch.Block()) {
			continue // the end of a loop
		}
		switch cond := branch.Cond.(type) {
		case *ssa.BinOp:
			if !kubeapi.IsError(cond.X.Type()) {
				return false
			}
		case *ssa.Call:
			if !slices.ContainsFunc(cond.Call.Args, func(arg ssa.Value) bool { return kubeapi.IsError(arg.Type()) }) {
				return false
			}
		default:
			return false
		}
	}
	return true
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

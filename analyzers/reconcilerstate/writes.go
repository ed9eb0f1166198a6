package reconcilerstate

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// reconcile notes what the course of a Reconcile writes outside any lock. What runs once is
// left out, and so is whatever a function does that takes a lock, or is
// called by one.
func (r *reader) reconcile(c *controllers.Local) {
	seen := map[*ssa.Function]bool{c.ReconcileFn: true}
	queue := []*ssa.Function{c.ReconcileFn}
	for len(queue) > 0 {
		fn := queue[0]
		queue = queue[1:]
		if locks(fn) {
			continue
		}
		r.function(c, fn)
		for _, edge := range r.entries.Edges(fn) {
			if edge.How != entrypoints.Once && !seen[edge.Callee] {
				seen[edge.Callee] = true
				queue = append(queue, edge.Callee)
			}
		}
	}
}

// locks reports whether a function, or a literal in it, takes a lock.
func locks(fn *ssa.Function) bool {
	return calls.Names(fn, kubeapi.TakesLock) || slices.ContainsFunc(fn.AnonFuncs, locks)
}

func (r *reader) function(c *controllers.Local, fn *ssa.Function) {
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.MapUpdate:
			r.element(c, instr, instr.Map)
		case *ssa.Call:
			if calls.IsBuiltin(instr, "delete") {
				r.element(c, instr, instr.Call.Args[0])
			}
		case *ssa.Store:
			r.store(c, instr)
		}
	}
}

// element is a change of a map.
func (r *reader) element(c *controllers.Local, instr ssa.Instruction, m ssa.Value) {
	load, ok := r.handed(m).(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return
	}
	if owner, field := r.owner(c, load.X); owner != nil {
		if freshInCourse(load.X, load) {
			return
		}
		r.add(state{owner, sharedMap}, &write{c, instr, instr.Parent(), field})
	}
}

// handed is what the only caller of a function gives it for a parameter; other values are
// themselves.
func (r *reader) handed(v ssa.Value) ssa.Value {
	for range maxHanded {
		p, ok := v.(*ssa.Parameter)
		if !ok {
			break
		}
		args, known := r.Calls.HandedOver(p)
		if !known || len(args) != 1 {
			break
		}
		v = args[0]
	}
	return v
}

// maxHanded bounds the calls that a value is handed down through.
const maxHanded = 4

// freshInCourse reports whether the function makes a new map in that place before: then
// the assignment is the mistake.
func freshInCourse(addr ssa.Value, instr ssa.Instruction) bool {
	field, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	for _, block := range instr.Parent().Blocks {
		for _, other := range block.Instrs {
			store, ok := other.(*ssa.Store)
			if !ok {
				continue
			}
			to, ok := store.Addr.(*ssa.FieldAddr)
			if ok && to.X == field.X && to.Field == field.Field {
				if _, made := store.Val.(*ssa.MakeMap); made && block.Dominates(instr.Block()) {
					return true
				}
			}
		}
	}
	return false
}

// store is an assignment to a field or variable.
func (r *reader) store(c *controllers.Local, store *ssa.Store) {
	owner, field := r.owner(c, store.Addr)
	if owner == nil {
		return
	}
	if isAppend(store.Val) {
		r.add(state{owner, sharedAll}, &write{c, store, store.Parent(), field})
		return
	}
	if addr, ok := store.Addr.(*ssa.FieldAddr); ok && !r.isReceiver(addr.X, 0) {
		return
	}
	if !field || !isPerObject(owner.Type()) || isMadeOnce(store) || r.sameEachTime(store.Val) {
		return
	}
	r.add(state{owner, perObject}, &write{c, store, store.Parent(), field})
}

func isAppend(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	builtin, ok := call.Call.Value.(*ssa.Builtin)
	return ok && builtin.Name() == "append"
}

// isPerObject reports whether a field's type is one of what belongs to one object: the
// object itself, a request, a context, a logger.
func isPerObject(t types.Type) bool {
	return kubeapi.IsObject(t) || kubeapi.IsRequest(t) || kubeapi.IsContext(t) || kubeapi.IsLogger(t)
}

// isMadeOnce reports whether a value is stored only while the field has none.
func isMadeOnce(store *ssa.Store) bool {
	for branch := range blocks.Above(store.Block()) {
		if op, ok := branch.Cond.(*ssa.BinOp); ok && (calls.IsNil(op.X) || calls.IsNil(op.Y)) {
			for _, side := range []ssa.Value{op.X, op.Y} {
				if load, ok := side.(*ssa.UnOp); ok && sameField(load.X, store.Addr) {
					return true
				}
			}
		}
	}
	return false
}

func sameField(a, b ssa.Value) bool {
	x, ok := a.(*ssa.FieldAddr)
	y, ok2 := b.(*ssa.FieldAddr)
	return ok && ok2 && x.X == y.X && x.Field == y.Field
}

// sameEachTime reports whether each reconcile stores the same: nothing of it comes from the
// request.
func (r *reader) sameEachTime(v ssa.Value) bool {
	switch v := calls.Behind(v).(type) {
	case *ssa.Const, *ssa.Global:
		return true
	case *ssa.Call:
		for _, arg := range kubeapi.Operands(v.Common()) {
			if !r.sameEachTime(arg) {
				return false
			}
		}
		return true
	case *ssa.Slice:
		values, ok := kubeapi.VariadicArgs(v)
		return ok && !slices.ContainsFunc(values, func(v ssa.Value) bool { return !r.sameEachTime(v) })
	}
	return false
}

// owner is the field of the reconciler, or the package variable, that an address is.
func (r *reader) owner(c *controllers.Local, addr ssa.Value) (owner types.Object, field bool) {
	switch addr := addr.(type) {
	case *ssa.Global:
		if addr.Pkg == r.Calls.Pkg && addr.Object() != nil {
			return addr.Object(), false
		}
	case *ssa.FieldAddr:
		if !r.isReceiver(addr.X, 0) && !isKept(addr.X) || controllers.TypeID(addr.X.Type()) != c.Reconciler {
			return nil, false
		}
		if f := calls.FieldOf(addr.X.Type(), addr.Field); f != nil {
			return f, true
		}
	}
	return nil, false
}

// isKept reports whether v is a pointer that a field holds, such as the reconciler in a struct
// that is made for each reconcile.
func isKept(v ssa.Value) bool {
	load, ok := calls.Behind(v).(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	_, ok = load.X.(*ssa.FieldAddr)
	_, pointer := load.Type().Underlying().(*types.Pointer)
	return ok && pointer
}

// isReceiver reports whether v is a method's receiver, which is a pointer, also in
// literals, and in functions that all callers hand it to.
func (r *reader) isReceiver(v ssa.Value, depth int) bool {
	v = calls.Behind(v)
	switch v := v.(type) {
	case *ssa.Parameter:
		fn := v.Parent()
		if _, pointer := v.Type().Underlying().(*types.Pointer); !pointer || depth > maxHanded {
			return false
		}
		if fn.Signature.Recv() != nil && len(fn.Params) > 0 && fn.Params[0] == v {
			return true
		}
		args, known := r.Calls.HandedOver(v)
		return known && !slices.ContainsFunc(args, func(arg ssa.Value) bool { return !r.isReceiver(arg, depth+1) })
	case *ssa.UnOp:
		switch x := v.X.(type) {
		case *ssa.FreeVar:
			return capturesReceiver(x)
		case *ssa.Alloc: // a literal has captured it
			stored := calls.StoredInto(x)
			return len(stored) == 1 && stored[0] != v && r.isReceiver(stored[0], depth+1)
		}
	case *ssa.FreeVar:
		return capturesReceiver(v)
	}
	return false
}

// capturesReceiver reports whether a literal has captured the receiver of the method
// around it.
func capturesReceiver(v *ssa.FreeVar) bool {
	outer := v.Parent().Parent()
	for outer != nil && outer.Parent() != nil {
		outer = outer.Parent()
	}
	if outer == nil || outer.Signature.Recv() == nil || len(outer.Params) == 0 || outer.Params[0].Name() != v.Name() {
		return false
	}
	_, pointer := outer.Params[0].Type().Underlying().(*types.Pointer)
	return pointer
}

func (r *reader) add(key state, w *write) {
	if len(r.writes[key]) == 0 {
		r.order = append(r.order, key)
	}
	r.writes[key] = append(r.writes[key], w)
}

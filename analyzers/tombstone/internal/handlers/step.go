package handlers

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// step runs one instruction that is no end of a block. It returns false if
// the path ends here, or goes on in states of its own.
func (r *runner) step(st *state, instr ssa.Instruction) bool {
	// A switch of its own: this runs the instructions one by one, and follows nothing.
	switch instr := instr.(type) {
	case *ssa.Phi:
	case *ssa.TypeAssert:
		return r.assert(st, instr)
	case *ssa.Extract:
		v := val{}
		if t := st.of(instr.Tuple); t.kind == tuple && instr.Index < len(t.parts) {
			v = t.parts[instr.Index]
		}
		st.set(instr, v)
	case *ssa.MakeInterface:
		st.set(instr, boxed(st.of(instr.X), instr.X.Type()))
	case *ssa.ChangeInterface, *ssa.ChangeType:
		v := instr.(ssa.Value)
		st.set(v, st.of(kubeapi.Converted(v)))
	case *ssa.Alloc:
		v := zeroOf(kubeapi.Deref(instr.Type()))
		v.learned = true // it is what the code says
		st.set(instr, v)
	case *ssa.MakeClosure:
		v := val{kind: function, fn: instr}
		for _, binding := range instr.Bindings {
			v.free = append(v.free, st.holds(binding))
		}
		st.set(instr, v)
	case *ssa.UnOp:
		return r.unary(st, instr)
	case *ssa.BinOp:
		st.set(instr, binary(instr, st.of(instr.X), st.of(instr.Y)))
	case *ssa.Field:
		st.set(instr, fieldOf(st.of(instr.X), calls.FieldOf(instr.X.Type(), instr.Field)))
	case *ssa.FieldAddr:
		if st.of(instr.X).kind == null {
			return r.dereference(st, instr.X, instr)
		}
		delete(st.env, instr)
	case *ssa.Store:
		r.store(st, instr)
	case *ssa.MapUpdate:
		if _, local := instr.Map.(*ssa.MakeMap); !local {
			r.work(st)
		}
	case *ssa.Send:
		r.send(st, instr, instr.Chan, instr.X)
		r.work(st)
	case *ssa.Select:
		for _, s := range instr.States {
			if s.Dir == types.SendOnly {
				r.send(st, instr, s.Chan, s.Send)
				r.work(st)
			}
		}
		delete(st.env, instr)
	case ssa.CallInstruction:
		return r.call(st, instr)
	case ssa.Value:
		delete(st.env, instr)
	}
	return true
}

// boxed is what an interface holds.
func boxed(v val, t types.Type) val {
	switch v.kind {
	case tombStruct:
		if kubeapi.IsTombstone(t) {
			return val{kind: tomb}
		}
		return val{}
	case null:
		if _, ok := t.Underlying().(*types.Pointer); ok {
			return val{kind: typedNull, learned: v.learned}
		}
		return val{}
	case unknown:
		return val{kind: notNull, learned: true}
	}
	return v
}

// assert runs a type assertion.
func (r *runner) assert(st *state, instr *ssa.TypeAssert) bool {
	x := st.of(instr.X)
	t := instr.AssertedType
	give := func(v val, ok bool) {
		if instr.CommaOk {
			v = val{kind: tuple, parts: []val{v, truth(ok)}}
		}
		st.set(instr, v)
	}
	switch x.kind {
	case tomb:
		switch {
		case kubeapi.IsTombstone(t):
			st.recognise(instr)
			give(val{kind: tombStruct}, true)
		case takesAnything(t):
			give(x, true)
		case isForeign(t):
			st.doubt = true
			r.end(st, nil, false)
			return false
		case instr.CommaOk:
			kind := Refused
			if kubeapi.IsTombstonePointer(t) {
				kind = Pointer
			}
			st.lose(r.blame(Cause{Kind: kind, Instr: instr, Asserted: t, Unwrapped: st.recognised}))
			give(zeroOf(t), false)
		default:
			if !st.doubt {
				st.lose(r.blame(Cause{Kind: Panics, Instr: instr, Asserted: t, Unwrapped: st.recognised}))
			}
			r.end(st, nil, true)
			return false
		}
	case object:
		switch {
		case kubeapi.IsTombstone(t), kubeapi.IsTombstonePointer(t), isStruct(t):
			if !instr.CommaOk {
				return false // a handler that knows nothing but tombstones, or no object
			}
			give(zeroOf(t), false)
		case takesAnything(t):
			give(x, true)
		default:
			if instr.CommaOk {
				other := st.clone()
				other.set(instr, val{kind: tuple, parts: []val{zeroLearned(t), {kind: no, learned: true}}})
				other.index++
				r.queue = append(r.queue, other)
			}
			st.pass(instr)
			give(val{kind: notNull}, true)
		}
	case record:
		same := types.Identical(t, x.rec.t) || types.Identical(kubeapi.Deref(t), kubeapi.Deref(x.rec.t))
		switch {
		case same || takesAnything(t):
			give(x, true)
		default:
			delete(st.env, instr)
		}
	case null:
		if instr.CommaOk {
			give(zeroOf(t), false)
		} else {
			delete(st.env, instr)
		}
	default:
		delete(st.env, instr)
	}
	return true
}

// isForeign reports whether a type is a pointer to what is no object: informers of another make than
// client-go's hand such over, and know no tombstones.
func isForeign(t types.Type) bool {
	to, ok := t.Underlying().(*types.Pointer)
	return ok && isStruct(to.Elem()) && !kubeapi.IsObject(t) && !kubeapi.IsTombstonePointer(t)
}

// isStruct reports whether a type is a struct: informers hand over pointers.
func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

func zeroLearned(t types.Type) val {
	v := zeroOf(t)
	v.learned = true
	return v
}

// unary runs a load, a receive or a negation.
func (r *runner) unary(st *state, instr *ssa.UnOp) bool {
	x := st.of(instr.X)
	switch instr.Op {
	case token.NOT:
		switch x.kind {
		case yes, no:
			v := truth(x.kind == no)
			v.learned = x.learned
			st.set(instr, v)
		default:
			delete(st.env, instr)
		}
	case token.MUL:
		if addr, ok := instr.X.(*ssa.FieldAddr); ok {
			st.set(instr, fieldOf(st.of(addr.X), calls.FieldOf(addr.X.Type(), addr.Field)))
			return true
		}
		switch instr.X.(type) {
		case *ssa.Alloc, *ssa.FreeVar:
			st.set(instr, st.holds(instr.X))
		default:
			if x.kind == null {
				return r.dereference(st, instr.X, instr)
			}
			if x.kind != tombStruct && x.kind != record {
				x = val{}
			}
			st.set(instr, x)
		}
	default:
		delete(st.env, instr)
	}
	return true
}

// dereference uses a nil pointer: it panics, if the tombstone has made it nil.
func (r *runner) dereference(st *state, v ssa.Value, at ssa.Instruction) bool {
	if st.of(v).learned || st.doubt {
		return false // a path that the code does not take, as far as one can tell
	}
	if st.cause == nil {
		r.record(exit{path: st.path, panicked: true, deref: at.Pos()})
		return false
	}
	st.cause = r.usedNil(st.cause, at.Pos())
	r.end(st, nil, true)
	return false
}

// usedNil is the cause of a panic: what c has left nil is used.
func (m *machine) usedNil(before *cause, at token.Pos) *cause {
	c := before.Cause
	if c.Kind != Panics && c.Kind != Pointer {
		c.Kind, c.Deref = Dereferenced, at
	}
	made := m.blame(c)
	made.told = before.told
	return made
}

// fieldOf is what is known of a field.
func fieldOf(x val, field *types.Var) val {
	if field == nil {
		return val{}
	}
	switch x.kind {
	case tombStruct:
		if field.Name() == "Obj" {
			return val{kind: object}
		}
	case record:
		return x.rec.known[field]
	}
	return val{}
}

// binary computes a comparison.
func binary(instr *ssa.BinOp, x, y val) val {
	same, known := equal(x, y)
	if !known {
		return val{}
	}
	var v val
	switch instr.Op {
	case token.EQL, token.NEQ:
		v = truth(same == (instr.Op == token.EQL))
	case token.GTR, token.LSS: // len(key) > 0
		v = compared(instr.Op, x, y)
	default:
		return val{}
	}
	v.learned = x.learned || y.learned
	return v
}

func compared(op token.Token, x, y val) val {
	a, b := x.constant(), y.constant()
	if a == nil || b == nil || a.Kind() != b.Kind() || a.Kind() == constant.Bool {
		return val{}
	}
	return truth(constant.Compare(a, op, b))
}

// store runs an assignment.
func (r *runner) store(st *state, instr *ssa.Store) {
	v := st.of(instr.Val)
	switch addr := instr.Addr.(type) {
	case *ssa.Alloc:
		st.set(addr, v)
	case *ssa.FreeVar:
		if r.outlives(addr) {
			r.work(st)
		}
		st.set(addr, v)
	case *ssa.FieldAddr:
		if base, ok := addr.X.(*ssa.Alloc); ok {
			if field := calls.FieldAt(addr); field != nil && st.of(base).kind != tombStruct {
				st.set(base, st.of(base).with(kubeapi.Deref(base.Type()), field, v))
			}
		} else if !calls.IsOwn(addr.X) {
			r.work(st)
		}
	default:
		if !calls.IsOwn(addr) {
			r.work(st)
		}
	}
}

// outlives reports whether a captured variable belongs to a function that is
// not running: what is stored in it lasts.
func (r *runner) outlives(captured *ssa.FreeVar) bool {
	alloc, ok := calls.Captured(captured).(*ssa.Alloc)
	return !ok || !slices.Contains(r.stack, alloc.Parent())
}

package handlers

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// path is what a path has met so far.
type path struct {
	// cause is why the tombstone is lost on this path, if it is.
	cause *cause
	// worked tells that something lasting was done before the cause (or at
	// all, if there is none), and after since.
	worked, after bool
	// recognised tells that the tombstone has been seen for what it is, by
	// the assertion at in this package, if it is one.
	recognised   bool
	recognisedBy ssa.Instruction
	// doubt tells that a function which is not known has seen the tombstone:
	// what the path does then may depend on it.
	doubt bool
	// passed are the places where an ordinary object has gone on that would
	// have stopped a tombstone.
	passed []ssa.Instruction
	// stays tells that an entry is not deleted from a map, since its key could not be told.
	stays bool
	// given is the parameter that was called with the tombstone, as its
	// argument number givenAs.
	given   *ssa.Parameter
	givenAs int
}

// cause is a Cause on its way up to the handler. Causes are made once for each
// place and chain, so that they can be compared.
type cause struct {
	Cause
	told struct { // of another package's cause
		asserted, fn string
		onlyKey      bool // all that its function does is to queue the key
	}
}

// state is a point of a path.
type state struct {
	path
	block *ssa.BasicBlock
	index int
	env   map[ssa.Value]val
}

func (st *state) clone() *state {
	next := *st
	next.env = maps.Clone(st.env)
	next.passed = slices.Clip(st.passed)
	return &next
}

// set records what is known of a value.
func (st *state) set(v ssa.Value, to val) {
	if to.kind == unknown {
		delete(st.env, v)
	} else {
		st.env[v] = to
	}
}

// of returns what is known of a value.
func (st *state) of(v ssa.Value) val {
	known, ok := st.env[v]
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		// The address of a variable; a struct and its address are not told
		// apart.
		if known.kind == record || known.kind == tombStruct {
			return known
		}
		return val{kind: notNull, learned: true}
	case *ssa.Const:
		return constantOf(v)
	case *ssa.Function:
		return val{kind: function, fn: v}
	}
	if ok {
		return known
	}
	return val{}
}

// holds returns what is known of the variable at an address.
func (st *state) holds(addr ssa.Value) val { return st.env[addr] }

// key identifies a state at the beginning of a block.
func (st *state) key(number map[ssa.Value]int) string {
	parts := make([]string, 0, len(st.env))
	for v, known := range st.env {
		n, ok := number[v]
		if !ok {
			n = len(number)
			number[v] = n
		}
		parts = append(parts, fmt.Sprintf("%06d=%s", n, known))
	}
	slices.Sort(parts)
	return fmt.Sprintf("%d %s %s", st.block.Index, st.path.key(), strings.Join(parts, " "))
}

func (p *path) key() string {
	return fmt.Sprintf("%p%t%t%t%t%t%p%d", p.cause, p.worked, p.after, p.recognised, p.doubt, p.stays, p.given, len(p.passed))
}

// work records that something lasting is done.
func (p *path) work() {
	if p.cause != nil {
		p.after = true
	} else {
		p.worked = true
	}
}

// recognise records that the code has seen the tombstone for what it is: what
// it failed to be before does not matter.
func (p *path) recognise(by ssa.Instruction) {
	p.recognised, p.recognisedBy = true, by
	p.forget()
}

func (p *path) forget() {
	p.cause = nil
	p.worked = p.worked || p.after
	p.after = false
}

// lose records why the tombstone is lost from here on.
func (p *path) lose(c *cause) {
	if p.doubt || p.cause != nil && !c.explains(p.cause) {
		return
	}
	p.forget()
	p.cause = c
}

// explains reports whether c says better why a tombstone is lost than the
// cause that came before it on the path.
func (c *cause) explains(before *cause) bool {
	if c.Kind != before.Kind {
		return c.Kind > before.Kind
	}
	// Cases of one type switch, say: what the tombstone failed to be last. A
	// helper's failure, such as one that makes a message, says less.
	return c.Instr.Parent() == before.Instr.Parent() && len(c.Chain) <= len(before.Chain)
}

// pass records that an ordinary object passes a place which stops tombstones.
func (p *path) pass(at ssa.Instruction) {
	if !slices.Contains(p.passed, at) {
		p.passed = append(p.passed, at)
	}
}

// exit is one way in which a function ends.
type exit struct {
	path
	results  []val
	panicked bool
	// deref is where nil is used that the caller has handed in.
	deref token.Pos
}

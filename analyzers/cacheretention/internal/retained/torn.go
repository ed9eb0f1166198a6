package retained

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Torn is an object that a handler keeps in a variable, which another goroutine
// tests and then reads again, without a lock, while a handler sets it to nil in
// between.
type Torn struct {
	// Store keeps the object, Clear sets the variable to nil.
	Store, Clear *ssa.Store
	// Test and Use are the two reads, in the function Reader.
	Test, Use *ssa.UnOp
	Reader    *ssa.Function
	Name      string
}

func (i *Retentions) findTorn() {
	for _, h := range i.order {
		if h.shape != single || h.local != nil {
			continue
		}
		if t, ok := i.torn(h); ok {
			i.Torn = append(i.Torn, t)
		}
	}
}

func (i *Retentions) torn(h *holder) (Torn, bool) {
	var t Torn
	for n := range h.inserts {
		in := &h.inserts[n]
		store, ok := in.instr.(*ssa.Store)
		if !ok || !i.inHandler(store.Parent()) || i.locks(store.Parent(), 0) || in.owner != nil && !i.isLasting(in.owner) {
			continue
		}
		if calls.IsNil(store.Val) {
			if t.Clear == nil {
				t.Clear = store
			}
			continue
		}
		if _, _, ok := i.cachedObject(store.Val); ok && t.Store == nil {
			t.Store, t.Name = store, i.nameOf(h, in)
		}
	}
	if t.Store == nil || t.Clear == nil {
		return t, false
	}
	for _, load := range h.loads {
		fn := load.Parent()
		if fn.Object() == nil || !fn.Object().Exported() || i.inHandler(fn) || i.locks(fn, 0) || !isNilTest(load) {
			continue
		}
		for _, use := range h.loads {
			if use.Parent() == fn && use != load && isDereferenced(use) && load.Block() != use.Block() && load.Block().Dominates(use.Block()) {
				t.Test, t.Use, t.Reader = load, use, fn
				return t, true
			}
		}
	}
	return t, false
}

// inHandler reports whether a function runs for events of an informer.
func (i *Retentions) inHandler(fn *ssa.Function) bool {
	return i.objects.Entries.PathTo(fn, kubeapi.EventHandler) != nil
}

// locks reports whether a function, or one that calls it, takes a lock.
func (i *Retentions) locks(fn *ssa.Function, depth int) bool {
	return depth > 3 || calls.Names(fn, kubeapi.IsLocking) || fn.Parent() != nil && i.locks(fn.Parent(), depth+1) ||
		slices.ContainsFunc(i.graph.Callers(fn), func(call ssa.CallInstruction) bool { return i.locks(call.Parent(), depth+1) })
}

func isNilTest(load *ssa.UnOp) bool {
	return blocks.AnyUse(load, func(op *ssa.BinOp) bool { return (op.Op == token.EQL || op.Op == token.NEQ) && calls.IsNil(op.Y) })
}

func isDereferenced(load *ssa.UnOp) bool {
	return blocks.AnyUse(load, func(addr *ssa.FieldAddr) bool { return addr.X == load })
}

// Package forgotten finds caches that are left out of the wait for their neighbours: the
// function that asks whether they are filled is kept in a field that nobody reads.
package forgotten

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// checker looks at one package.
type checker struct {
	*subject.Checker
	read map[*types.Var]bool // the fields that are read anywhere
}

// Report finds them, once for each wait.
func Report(in *subject.Checker) {
	c := &checker{in, make(map[*types.Var]bool)}
	if slices.ContainsFunc(c.Waits, func(w *syncs.Wait) bool { return w.Op.Verb == kubeapi.WaitForSync && w.Op.Factory != nil }) {
		return // it waits for all that the factory has
	}
	most := make(map[*types.Struct]*among)
	var order []*types.Struct
	for _, w := range c.Waits {
		if !w.Answers() || w.Elsewhere != "" || w.Dropped != nil {
			continue
		}
		fn := paths.Outermost(w.Call.Parent())
		if subject.IsCommand(fn) || subject.MakesFake(fn) {
			continue
		}
		for owner, waited := range c.waitedFor(fn) {
			known := most[owner]
			if known == nil {
				order = append(order, owner)
			}
			if known == nil || len(known.waited) < len(waited) {
				most[owner] = &among{w.Call, waited}
			}
		}
	}
	slices.SortFunc(order, func(a, b *types.Struct) int { return cmp.Compare(most[a].waited[0].Pos(), most[b].waited[0].Pos()) })
	for _, owner := range order {
		c.look(most[owner].wait, owner, most[owner].waited[0])
	}
}

// among is a wait for fields of one struct.
type among struct {
	wait   *ssa.Call
	waited []*types.Var
}

// waitedFor returns the fields of each struct that a function reads to wait for.
func (c *checker) waitedFor(fn *ssa.Function) map[*types.Struct][]*types.Var {
	found := make(map[*types.Struct][]*types.Var)
	var gather func(fn *ssa.Function)
	gather = func(fn *ssa.Function) {
		for addr := range blocks.InstrsOf[*ssa.FieldAddr](fn) {
			owner, ok := addr.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
			if field := calls.FieldAt(addr); ok && field != nil && isSynced(field) && isRead(addr) && !slices.Contains(found[owner], field) {
				found[owner] = append(found[owner], field)
			}
		}
		for _, inner := range fn.AnonFuncs {
			gather(inner)
		}
	}
	gather(fn)
	return found
}

func isSynced(field *types.Var) bool {
	return !field.Exported() && kubeapi.IsNamed(field.Type(), "k8s.io/client-go/tools/cache", "InformerSynced")
}

// isRead reports whether something else is done with a field than storing into it.
func isRead(addr *ssa.FieldAddr) bool {
	return blocks.AnyUse(addr, func(ref ssa.Instruction) bool {
		store, ok := ref.(*ssa.Store)
		return !ok || store.Addr != addr
	})
}

// look reports the fields of a struct that nobody reads although the caches are used.
func (c *checker) look(wait *ssa.Call, owner *types.Struct, waited *types.Var) {
	c.gather()
	var first *types.Var
	var used *types.Var
	var harm rule.Harm // the category's
	var related []analysis.RelatedInformation
	for field := range owner.Fields() {
		if !isSynced(field) || c.read[field] {
			continue
		}
		lister, store := c.listerOf(field)
		if lister == nil {
			continue
		}
		if first == nil {
			first, used = field, lister
			if c.isGiven(store) {
				harm = rule.Hygiene // who makes the informer may wait for all that its factory has
			}
		}
		related = append(related, subject.Related(store, "nothing reads this field"))
	}
	if first == nil {
		return
	}
	more := ""
	if n := len(related) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	c.Harmful(wait, subject.Missing, harm, fmt.Sprintf("objects seem missing to %s at the start: this wait has %s and leaves out %s%s; wait for it, too",
		subject.Short(used.Name()), subject.Short(waited.Name()), subject.Short(first.Name()), more), related...)
}

// isGiven reports whether a function that keeps what tells whether an informer has filled its cache is
// handed the informer by another package.
func (c *checker) isGiven(store *ssa.Store) bool {
	fn := paths.Outermost(store.Parent())
	return len(c.Graph.Callers(fn)) == 0 && slices.ContainsFunc(fn.Params, func(param *ssa.Parameter) bool {
		return kubeapi.HasMethod(param.Type(), "Informer")
	})
}

// gather notes which fields are read.
func (c *checker) gather() {
	if len(c.read) > 0 {
		return
	}
	for _, fn := range c.Graph.Funcs {
		for v := range blocks.InstrsOf[ssa.Value](fn) {
			if addr, ok := v.(*ssa.FieldAddr); ok && !isRead(addr) {
				continue
			}
			if field := calls.FieldAt(v); field != nil {
				c.read[field] = true
			}
		}
	}
}

// listerOf returns the field that the lister of the same informer is kept in, if it is read
// somewhere and nobody else asks whether the informer has filled its cache, with the store
// of the function that would tell.
func (c *checker) listerOf(synced *types.Var) (lister *types.Var, store *ssa.Store) {
	stores := c.Graph.Stores(synced)
	if len(stores) != 1 {
		return nil, nil
	}
	store = stores[0]
	bound, ok := calls.Behind(store.Val).(*ssa.MakeClosure)
	if !ok || len(bound.Bindings) != 1 {
		return nil, nil
	}
	if _, method := calls.Unwrap(bound.Fn.(*ssa.Function)); method == nil || method.Name() != "HasSynced" {
		return nil, nil
	}
	informer := sourceOf(bound.Bindings[0])
	for instr := range blocks.Instrs(store.Parent()) {
		switch instr := instr.(type) {
		case *ssa.MakeClosure:
			if instr != bound && len(instr.Bindings) == 1 && sourceOf(instr.Bindings[0]) == informer {
				return nil, nil
			}
		case *ssa.Store:
			made, ok := calls.Behind(instr.Val).(*ssa.Call)
			if !ok {
				continue
			}
			field := calls.FieldAt(instr.Addr)
			callee := kubeapi.Callee(made.Common())
			recv, _ := kubeapi.Args(made.Common())
			if field != nil && callee != nil && callee.Name() == "Lister" && recv != nil && sourceOf(recv) == informer && c.read[field] {
				lister = field
			}
		}
	}
	return lister, store
}

// sourceOf is what an informer is requested from: backups in backups.Informer().
func sourceOf(informer ssa.Value) ssa.Value {
	informer = calls.Behind(informer)
	if call, ok := informer.(*ssa.Call); ok {
		if callee := kubeapi.Callee(call.Common()); callee != nil && callee.Name() == "Informer" {
			if recv, _ := kubeapi.Args(call.Common()); recv != nil {
				return calls.Behind(recv)
			}
		}
	}
	return informer
}

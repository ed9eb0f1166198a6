package deadlines

import (
	"go/token"
	"go/types"
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ID identifies a context within a function and the literals in it: the call
// that derives it, a parameter, a field of an object, a request. IDs are
// comparable.
type ID any

// fieldID is a context that is kept in a field.
type fieldID struct {
	base  ssa.Value
	field *types.Var
}

// requestID is the context of a request or stream.
type requestID struct{ request ssa.Value }

// Link is one derivation of a context.
type Link struct {
	// Call derives the context, or hands it to a literal: context.WithTimeout,
	// the user's helper that calls it, PollUntilContextTimeout.
	Call *ssa.Call
	Kind contexts.StepKind
	// After is the duration of a timeout, if it is Known.
	After time.Duration
	Known bool
	// Limit is the duration as it is handed to Call, nil if it is not an
	// argument of it.
	Limit ssa.Value
}

// Lineage is one possibility where a context comes from.
type Lineage struct {
	// Links are the derivations, nearest first.
	Links []Link
	// Root is the context with which the lineage begins; nil if that cannot be
	// told.
	Root ID
	Kind contexts.Kind
}

// Nearest returns the ID of the context itself: what only passes values on is
// the same context.
func (l Lineage) Nearest() ID {
	for _, link := range l.Links {
		if link.Kind != contexts.Value {
			return link.Call
		}
	}
	return l.Root
}

// Has reports whether the context is id or derives from it.
func (l Lineage) Has(id ID) bool {
	if l.Root == id {
		return true
	}
	return slices.ContainsFunc(l.Links, func(link Link) bool { return link.Kind != contexts.Value && ID(link.Call) == id })
}

// Timeout returns the nearest timeout of the lineage, or nil.
func (l Lineage) Timeout() *Link {
	for n := range l.Links {
		if l.Links[n].Kind == contexts.Timeout {
			return &l.Links[n]
		}
	}
	return nil
}

// Tightest returns the shortest timeout of the lineage that is known, or nil.
func (l Lineage) Tightest() *Link {
	var best *Link
	for n := range l.Links {
		link := &l.Links[n]
		if link.Kind == contexts.Timeout && link.Known && (best == nil || link.After < best.After) {
			best = link
		}
	}
	return best
}

// Bounds on the search for lineages.
const (
	maxLineages = 12
	maxVisits   = 300
	maxTrace    = 12
)

// Lineages returns where a context, or the stop channel that is its Done, may
// come from: one lineage for each possibility, and at least one.
//
// Other than contexts.Origins, which it builds on, it tells which assignment
// of a captured variable a use can see, and follows a literal's context to the
// call that runs the literal.
func (i *Info) Lineages(ctx ssa.Value) []Lineage {
	w := &walker{info: i, onPath: make(map[ssa.Value]bool)}
	w.visit(ctx, nil)
	if len(w.found) == 0 || w.steps > maxVisits || len(w.found) > maxLineages {
		return []Lineage{{}}
	}
	return w.found
}

// Covers reports whether each possibility of a context is id or derives from
// it.
func (i *Info) Covers(ctx ssa.Value, id ID) bool {
	return !slices.ContainsFunc(i.Lineages(ctx), func(l Lineage) bool { return !l.Has(id) })
}

// IDOf returns the ID of a context if there is one possibility, or nil.
func (i *Info) IDOf(ctx ssa.Value) ID {
	all := i.Lineages(ctx)
	if len(all) != 1 {
		return nil
	}
	return all[0].Nearest()
}

type walker struct {
	info   *Info
	onPath map[ssa.Value]bool
	found  []Lineage
	steps  int
}

func (w *walker) add(links []Link, kind contexts.Kind, root ID) {
	w.found = append(w.found, Lineage{Links: slices.Clone(links), Kind: kind, Root: root})
}

func (w *walker) visit(v ssa.Value, links []Link) {
	if w.steps++; w.steps > maxVisits {
		return
	}
	if v == nil {
		w.add(links, contexts.Unknown, nil)
		return
	}
	if w.onPath[v] {
		return // a variable that is derived from itself
	}
	w.onPath[v] = true
	defer delete(w.onPath, v)
	switch v := v.(type) {
	case *ssa.Phi:
		for _, edge := range v.Edges {
			w.visit(edge, links)
		}
	case *ssa.ChangeType:
		w.visit(v.X, links)
	case *ssa.ChangeInterface:
		w.visit(v.X, links)
	case *ssa.Const: // nil, which nobody uses
	case *ssa.FreeVar:
		w.visit(w.info.calls.Binding(v), links)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			w.load(v, links)
			return
		}
		w.add(links, contexts.Unknown, v)
	case *ssa.Parameter:
		w.parameter(v, links)
	case *ssa.Call:
		if ctx := kubeapi.DoneOf(v); ctx != nil {
			w.visit(ctx, links)
			return
		}
		w.derived(v, v, links)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			w.derived(v, call, links)
			return
		}
		w.add(links, contexts.Unknown, v)
	default:
		w.add(links, contexts.Unknown, v)
	}
}

// load follows what a variable or field holds.
func (w *walker) load(load *ssa.UnOp, links []Link) {
	if values, ok := w.info.variable(load); ok {
		for _, v := range values {
			w.visit(v, links)
		}
		return
	}
	switch addr := load.X.(type) {
	case *ssa.Global:
		w.add(links, contexts.Global, addr)
	case *ssa.FieldAddr:
		field := callgraph.FieldOf(addr.X.Type(), addr.Field)
		origins := w.info.contexts.Origins(load)
		if len(origins) == 1 && origins[0].Kind != contexts.Field && origins[0].Root != nil {
			// A struct that is made here.
			if o := origins[0]; len(o.Steps) == 0 && o.Root != load {
				w.visit(o.Root, links)
				return
			}
		}
		w.add(links, contexts.Field, fieldID{w.info.base(addr.X), field})
	default:
		w.add(links, contexts.Unknown, load)
	}
}

// base returns the object that v surely is.
func (i *Info) base(v ssa.Value) ssa.Value {
	for range maxTrace {
		switch x := v.(type) {
		case *ssa.FreeVar:
			bound := i.calls.Binding(x)
			if bound == nil {
				return v
			}
			v = bound
		case *ssa.UnOp:
			values, ok := i.variable(x)
			if !ok || len(values) != 1 {
				return v
			}
			v = values[0]
		default:
			return v
		}
	}
	return v
}

// variable returns the values that a load of a local variable can see; ok is
// false if v is none or something else may change it.
func (i *Info) variable(load *ssa.UnOp) (values []ssa.Value, ok bool) {
	local, at := i.local(load)
	if local == nil || local.Referrers() == nil {
		return nil, false
	}
	captured := at != ssa.Instruction(load)
	var elsewhere []ssa.Value // stored by literals
	for _, ref := range *local.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if ref.Addr != local {
				return nil, false
			}
		case *ssa.MakeClosure:
			for n, binding := range ref.Bindings {
				if fn, isFn := ref.Fn.(*ssa.Function); isFn && binding == local && n < len(fn.FreeVars) {
					elsewhere = append(elsewhere, callgraph.StoredInto(fn.FreeVars[n])...)
				}
			}
		default:
			return nil, false
		}
	}
	values = append(storesBefore(local, at), elsewhere...)
	if captured {
		values = append(values, storesAfter(local, at)...)
	}
	slices.SortFunc(values, func(a, b ssa.Value) int { return int(a.Pos() - b.Pos()) })
	return slices.Compact(values), len(values) > 0
}

// local returns the variable that is loaded and the instruction of its
// function at which that happens: the load, or where the literal is made that
// has the load.
func (i *Info) local(load *ssa.UnOp) (*ssa.Alloc, ssa.Instruction) {
	if load.Op != token.MUL {
		return nil, nil
	}
	at := ssa.Instruction(load)
	addr := load.X
	for range maxTrace {
		free, isFree := addr.(*ssa.FreeVar)
		if !isFree {
			break
		}
		closures := i.calls.Closures(free.Parent())
		index := slices.Index(free.Parent().FreeVars, free)
		if len(closures) != 1 || index < 0 || index >= len(closures[0].Bindings) {
			return nil, nil
		}
		at, addr = closures[0], closures[0].Bindings[index]
	}
	local, _ := addr.(*ssa.Alloc)
	return local, at
}

// setBefore reports whether the variable was set to v on every path to a load
// of it: it is not left over from the round of a loop before.
func (i *Info) setBefore(load *ssa.UnOp, v ssa.Value) bool {
	local, at := i.local(load)
	if local == nil {
		return false
	}
	for _, ref := range *local.Referrers() {
		store, ok := ref.(*ssa.Store)
		if !ok || store.Addr != local || store.Val != v {
			continue
		}
		if block := store.Block(); block != at.Block() {
			if block.Dominates(at.Block()) {
				return true
			}
		} else if slices.Index(block.Instrs, ssa.Instruction(store)) < slices.Index(block.Instrs, at) {
			return true
		}
	}
	return false
}

// storesBefore returns what the variable may hold when instr runs.
func storesBefore(local *ssa.Alloc, instr ssa.Instruction) []ssa.Value {
	var found []ssa.Value
	seen := make(map[*ssa.BasicBlock]bool)
	var before func(block *ssa.BasicBlock, end int)
	before = func(block *ssa.BasicBlock, end int) {
		for n := end - 1; n >= 0; n-- {
			switch instr := block.Instrs[n].(type) {
			case *ssa.Store:
				if instr.Addr == local {
					found = append(found, instr.Val)
					return
				}
			case *ssa.Alloc:
				if instr == local {
					return
				}
			}
		}
		for _, pred := range block.Preds {
			if !seen[pred] {
				seen[pred] = true
				before(pred, len(pred.Instrs))
			}
		}
	}
	block := instr.Block()
	before(block, slices.Index(block.Instrs, instr))
	return found
}

// storesAfter returns what is stored into the variable after instr has run.
func storesAfter(local *ssa.Alloc, instr ssa.Instruction) []ssa.Value {
	var found []ssa.Value
	seen := make(map[*ssa.BasicBlock]bool)
	var after func(block *ssa.BasicBlock, start int)
	after = func(block *ssa.BasicBlock, start int) {
		for _, instr := range block.Instrs[start:] {
			if instr == ssa.Instruction(local) {
				return // another variable from here on
			}
			if store, ok := instr.(*ssa.Store); ok && store.Addr == local {
				found = append(found, store.Val)
			}
		}
		for _, succ := range block.Succs {
			if !seen[succ] {
				seen[succ] = true
				after(succ, 0)
			}
		}
	}
	block := instr.Block()
	after(block, slices.Index(block.Instrs, instr)+1)
	return found
}

// parameter follows the parameter of a literal to what runs the literal.
func (w *walker) parameter(p *ssa.Parameter, links []Link) {
	fn := p.Parent()
	if fn.Parent() == nil {
		w.add(links, contexts.Param, p)
		return
	}
	call, index, ok := w.info.soleUse(fn)
	switch {
	case !ok:
	case index < 0:
		operands := kubeapi.Operands(call.Common())
		if n := slices.Index(fn.Params, p); n >= 0 && n < len(operands) {
			w.visit(operands[n], links)
			return
		}
	default:
		at, isCall := call.(*ssa.Call)
		if !isCall {
			break
		}
		if parent, limit, derives, ok := kubeapi.PollTimeout(call.Common()); ok {
			if derives {
				link := Link{Call: at, Kind: contexts.Timeout, Limit: limit}
				link.After, link.Known = w.info.contexts.Duration(limit)
				links = append(slices.Clone(links), link)
			}
			w.visit(parent, links)
			return
		}
		if !kubeapi.RunsInPlace(kubeapi.Callee(call.Common()), index) {
			break
		}
		if _, args := kubeapi.Args(call.Common()); len(args) > 0 && kubeapi.IsContext(args[0].Type()) {
			w.visit(args[0], links)
			return
		}
	}
	w.add(links, contexts.Param, p)
}

// soleUse returns the one call that a literal is used in: called itself (index
// is negative), or handed over as the index-th argument.
func (i *Info) soleUse(fn *ssa.Function) (call ssa.CallInstruction, index int, ok bool) {
	var values []ssa.Value
	for _, closure := range i.calls.Closures(fn) {
		values = append(values, closure)
	}
	if len(values) == 0 {
		values = append(values, fn)
	}
	if len(values) != 1 {
		return nil, 0, false
	}
	v := values[0]
	for range maxTrace {
		refs := v.Referrers()
		if refs == nil {
			return nil, 0, false
		}
		var use ssa.Instruction
		for _, ref := range *refs {
			if _, debug := ref.(*ssa.DebugRef); debug {
				continue
			}
			if use != nil {
				return nil, 0, false
			}
			use = ref
		}
		switch use := use.(type) {
		case *ssa.ChangeType:
			v = use
		case ssa.CallInstruction:
			common := use.Common()
			if !common.IsInvoke() && common.Value == v {
				return use, -1, true
			}
			_, args := kubeapi.Args(common)
			index := slices.Index(args, v)
			return use, index, index >= 0
		default:
			return nil, 0, false
		}
	}
	return nil, 0, false
}

// derived follows the result v of a call.
func (w *walker) derived(v ssa.Value, call *ssa.Call, links []Link) {
	origins := w.info.contexts.Origins(v)
	common := call.Common()
	link := Link{Call: call}
	terminal := true
	for n, o := range origins {
		if len(o.Steps) == 0 || o.Steps[0].Call != call {
			w.add(links, o.Kind, w.root(o))
			return
		}
		step := o.Steps[0]
		switch {
		case n == 0:
			link.Kind, link.After, link.Known = step.Kind, step.After, step.Known
		case step.Kind != link.Kind:
			link.Kind, link.Known = contexts.Cancel, false
		case step.After != link.After || !step.Known:
			link.Known = false
		}
		terminal = terminal && o.Root == ssa.Value(call)
	}
	parent := firstContext(common)
	if p, limit, ok := kubeapi.OptionalTimeout(common); ok {
		link.Kind, link.Limit, parent = contexts.Cancel, limit, p
		if link.After, link.Known = w.info.contexts.Duration(limit); link.Known && link.After > 0 {
			link.Kind = contexts.Timeout
		}
	} else if p, limit, deadline, ok := kubeapi.TimeoutOf(common); ok {
		parent = p
		if !deadline {
			link.Limit = limit
		}
	}
	if kubeapi.GroupContext(common) {
		link.Kind = contexts.Cancel
	}
	links = append(slices.Clone(links), link)
	if terminal || parent == nil {
		w.add(links, origins[0].Kind, w.root(origins[0]))
		return
	}
	w.visit(parent, links)
}

// root identifies the context with which an origin begins.
func (w *walker) root(o contexts.Origin) ID {
	if call, ok := o.Root.(*ssa.Call); ok && o.Kind == contexts.Request {
		if recv, _ := kubeapi.Args(call.Common()); recv != nil {
			return requestID{w.info.base(recv)}
		}
	}
	if o.Root == nil {
		return nil
	}
	return o.Root
}

// firstContext returns the first operand of a call that is a context or, if
// there is none, a stop channel.
func firstContext(common *ssa.CallCommon) ssa.Value {
	operands := kubeapi.Operands(common)
	for _, is := range []func(types.Type) bool{kubeapi.IsContext, kubeapi.IsStopChannel} {
		for _, arg := range operands {
			if is(arg.Type()) {
				return arg
			}
		}
	}
	return nil
}

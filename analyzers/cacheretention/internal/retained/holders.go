package retained

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// shape is what sort of variable holds objects.
type shape uint8

const (
	none shape = iota
	mapping
	list
	keyed  // a map with methods
	single // a pointer, interface or struct
)

func shapeOf(t types.Type) shape {
	switch t.Underlying().(type) {
	case *types.Map:
		return mapping
	case *types.Slice:
		return list
	}
	switch {
	case kubeapi.IsKeyedContainer(t):
		return keyed
	case kubeapi.IsObject(t) && kubeapi.KindOf(t) != nil:
		return single
	}
	return none
}

// holder is a variable that holds objects: a field, a package-level variable,
// or a local one that function literals share.
type holder struct {
	shape shape
	obj   *types.Var // of a field or package-level variable
	local *ssa.Alloc
	name  string

	inserts []insert
	stores  []*ssa.Store // assignments of the variable itself
	loads   []*ssa.UnOp
	// removed tells that something is taken out, or that it cannot be known
	// what is done to the container.
	removed bool
	seen    map[ssa.Value]bool
	// way are the calls by which the container got to where it is looked at.
	way []ssa.CallInstruction
}

// insert puts something into a container.
type insert struct {
	instr ssa.Instruction
	// values are what is put in.
	values []ssa.Value
	// owner is the struct that has the container, nil for variables.
	owner ssa.Value
	// fixed tells that the key is a constant: there are only so many.
	fixed bool
	// way are the calls that hand the container over.
	way []ssa.CallInstruction
}

func (h *holder) remove() { h.removed = true }

// collect finds the containers of the package and what is done to them.
func (i *Retentions) collect() {
	i.graph.Each(func(instr ssa.Instruction) {
		if store, ok := instr.(*ssa.Store); ok {
			i.noteReplaced(store)
		}
	})
	var operands blocks.Operands
	i.graph.Each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.FieldAddr:
			if h := i.fieldHolder(calls.FieldAt(instr), instr.X.Type()); h != nil {
				i.addr(h, instr, instr.X, 0)
			}
		case *ssa.Field:
			if h := i.fieldHolder(calls.FieldAt(instr), instr.X.Type()); h != nil {
				i.value(h, instr, instr.X, 0)
			}
		case *ssa.Alloc:
			if s := shapeOf(kubeapi.Deref(instr.Type())); s != none && isCaptured(instr) && i.holders[instr] == nil {
				h := i.add(instr, s, instr.Comment)
				h.local = instr
				i.addr(h, instr, nil, 0)
			}
		}
		// Package-level variables stand as operands.
		for _, op := range operands.Of(instr) {
			global, ok := (*op).(*ssa.Global)
			if !ok || global.Pkg != i.graph.Pkg {
				continue
			}
			obj, ok := global.Object().(*types.Var)
			if !ok || shapeOf(obj.Type()) == none {
				continue
			}
			h := i.holders[obj]
			if h == nil {
				h = i.add(obj, shapeOf(obj.Type()), obj.Name())
				h.obj = obj
				if obj.Exported() && i.pass.Pkg.Name() != "main" {
					h.remove()
				}
			}
			i.addrUse(h, global, instr, nil, 0)
		}
	})
}

func (i *Retentions) add(key any, s shape, name string) *holder {
	h := &holder{shape: s, name: name, seen: make(map[ssa.Value]bool)}
	i.holders[key] = h
	i.order = append(i.order, h)
	return h
}

// fieldHolder is the holder for a field of a struct of this package.
func (i *Retentions) fieldHolder(field *types.Var, owner types.Type) *holder {
	if field == nil || field.Pkg() != i.pass.Pkg {
		return nil
	}
	h := i.holders[field]
	if h == nil {
		s := shapeOf(field.Type())
		if s == none {
			return nil
		}
		h = i.add(field, s, field.Name())
		h.obj = field
		named := kubeapi.Named(owner)
		if field.Exported() && (named == nil || named.Obj().Exported()) && i.pass.Pkg.Name() != "main" {
			h.remove() // other packages may do so
		}
		if named != nil && i.replaced[named] {
			h.remove()
		}
	}
	return h
}

// noteReplaced notes that a struct is overwritten as a whole, with all that its
// fields held.
func (i *Retentions) noteReplaced(store *ssa.Store) {
	if _, ok := store.Val.Type().Underlying().(*types.Struct); !ok {
		return
	}
	if named := kubeapi.Named(store.Val.Type()); named != nil && !calls.IsOwn(store.Addr) {
		i.replaced[named] = true
	}
}

func isCaptured(alloc *ssa.Alloc) bool {
	return blocks.AnyUse(alloc, func(*ssa.MakeClosure) bool { return true })
}

// maxDepth bounds how far a container is followed through calls.
const maxDepth = 6

// addr looks at all that is done with the address of a container.
func (i *Retentions) addr(h *holder, addr, owner ssa.Value, depth int) {
	if h.seen[addr] {
		return
	}
	h.seen[addr] = true
	if depth > maxDepth || addr.Referrers() == nil {
		h.remove()
		return
	}
	for _, ref := range *addr.Referrers() {
		i.addrUse(h, addr, ref, owner, depth)
	}
}

func (i *Retentions) addrUse(h *holder, addr ssa.Value, ref ssa.Instruction, owner ssa.Value, depth int) {
	switch ref := ref.(type) {
	case *ssa.DebugRef:
	case *ssa.UnOp:
		if h.shape == single {
			h.loads = append(h.loads, ref)
		} else {
			i.value(h, ref, owner, depth)
		}
	case *ssa.Store:
		if ref.Addr != addr {
			h.remove()
			return
		}
		i.assigned(h, ref, owner)
	case *ssa.MakeClosure:
		for n, binding := range ref.Bindings {
			if binding == addr {
				i.addr(h, ref.Fn.(*ssa.Function).FreeVars[n], owner, depth+1)
			}
		}
	case ssa.CallInstruction:
		i.callUse(h, addr, ref, owner, depth, true)
	case *ssa.FieldAddr:
		if h.shape != single {
			h.remove()
		}
	default:
		h.remove()
	}
}

// value looks at all that is done with a container that was read.
func (i *Retentions) value(h *holder, v, owner ssa.Value, depth int) {
	if h.seen[v] {
		return
	}
	h.seen[v] = true
	if depth > maxDepth || v.Referrers() == nil {
		h.remove()
		return
	}
	inner := func(v ssa.Value) {
		switch shapeOf(v.Type()) {
		case mapping, list, keyed:
			i.value(h, v, owner, depth+1)
		}
	}
	for _, ref := range *v.Referrers() {
		// A switch of its own: what is done with a container, by its shape, which no step of a value knows.
		switch ref := ref.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.Index, *ssa.Field:
		case *ssa.MapUpdate:
			if ref.Map != v {
				if !h.seen[ref.Map] { // not an inner map put back
					h.remove()
				}
				continue
			}
			_, fixed := ref.Key.(*ssa.Const)
			h.inserts = append(h.inserts, insert{ref, []ssa.Value{ref.Value, ref.Key}, owner, fixed, slices.Clone(h.way)})
		case *ssa.Lookup:
			if ref.CommaOk {
				for _, e := range values.Extracted(ref, 0) {
					inner(e)
				}
			} else {
				inner(ref)
			}
		case *ssa.Range:
			for _, e := range values.Elements(ref) {
				inner(e)
			}
		case *ssa.IndexAddr:
			for _, use := range *ref.Referrers() {
				switch use := use.(type) {
				case *ssa.Store:
					h.remove() // a ring, or an element that is cleared
				case *ssa.UnOp:
					inner(use)
				}
			}
		case *ssa.Slice, *ssa.ChangeType, *ssa.Phi:
			i.value(h, ref.(ssa.Value), owner, depth+1)
		case *ssa.Store:
			if alloc, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v {
				i.addr(h, alloc, owner, depth+1)
			} else {
				h.remove()
			}
		case *ssa.Return:
			i.returned(h, ref, owner, depth)
		case ssa.CallInstruction:
			i.callUse(h, v, ref, owner, depth, false)
		default:
			h.remove()
		}
	}
}

// returned follows a container to the callers, if these are known.
func (i *Retentions) returned(h *holder, ret *ssa.Return, owner ssa.Value, depth int) {
	fn := ret.Parent()
	if obj := fn.Object(); obj == nil || obj.Exported() || len(ret.Results) != 1 {
		h.remove()
		return
	}
	for _, call := range i.graph.Callers(fn) {
		if c, ok := call.(*ssa.Call); ok {
			i.value(h, c, owner, depth+1)
		}
	}
}

func (i *Retentions) callUse(h *holder, v ssa.Value, call ssa.CallInstruction, owner ssa.Value, depth int, byAddress bool) {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		switch builtin.Name() {
		case "len", "cap":
		case "append":
			// What becomes of the result is seen where it is stored back; kept elsewhere, it is a copy or shares the
			// elements.
			if result, ok := call.(*ssa.Call); ok && common.Args[0] == v {
				h.seen[result] = true
			}
		case "copy":
			if common.Args[0] == v {
				h.remove()
			}
		default:
			h.remove() // delete, clear
		}
		return
	}
	ops := kubeapi.Operands(common)
	if fn := kubeapi.Callee(common); fn != nil && h.shape == keyed && len(ops) > 0 && ops[0] == v && fn.Signature().Recv() != nil {
		use, n := kubeapi.KeyedUse(fn)
		switch {
		case use == kubeapi.ContainerInsert && n+1 < len(ops):
			_, fixed := kubeapi.Unboxed(ops[1]).(*ssa.Const)
			h.inserts = append(h.inserts, insert{call, []ssa.Value{ops[n+1], ops[1]}, owner, fixed, slices.Clone(h.way)})
		case use != kubeapi.ContainerRead:
			h.remove()
		}
		return
	}
	targets := i.graph.Callees(call)
	if len(targets.Funcs) > 0 && targets.Closed {
		h.way = append(h.way, call)
		defer func() { h.way = h.way[:len(h.way)-1] }()
		for _, target := range targets.Funcs {
			for n, op := range ops {
				if op != v || n >= len(target.Params) {
					continue
				}
				if byAddress {
					i.addr(h, target.Params[n], owner, depth+1)
				} else {
					i.value(h, target.Params[n], owner, depth+1)
				}
			}
		}
		return
	}
	if !byAddress {
		if n := slices.Index(common.Args, v); n >= 0 && kubeapi.ContainerFunc(common, n) == kubeapi.ContainerRead {
			return
		}
	}
	h.remove()
}

// assigned looks at an assignment of the variable itself.
func (i *Retentions) assigned(h *holder, store *ssa.Store, owner ssa.Value) {
	h.stores = append(h.stores, store)
	if h.shape == single {
		h.inserts = append(h.inserts, insert{store, []ssa.Value{store.Val}, owner, false, slices.Clone(h.way)})
		return
	}
	if call, ok := store.Val.(*ssa.Call); ok && calls.IsBuiltin(call, "append") {
		if load, ok := call.Call.Args[0].(*ssa.UnOp); ok && load.Op == token.MUL && i.sameHolder(h, load.X) {
			values, ok := kubeapi.VariadicArgs(call.Call.Args[1])
			if !ok {
				values = []ssa.Value{call.Call.Args[1]}
			}
			h.inserts = append(h.inserts, insert{store, values, owner, false, slices.Clone(h.way)})
			return
		}
	}
	if !i.isSetUp(h, store) {
		h.remove()
	}
}

// sameHolder reports whether an address is a container's.
func (i *Retentions) sameHolder(h *holder, addr ssa.Value) bool {
	for range maxDepth {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			return h.obj != nil && calls.FieldOf(x.X.Type(), x.Field) == h.obj
		case *ssa.Global:
			return h.obj != nil && x.Object() == h.obj
		case *ssa.FreeVar:
			addr = i.graph.Binding(x)
		default:
			return h.local != nil && addr == ssa.Value(h.local)
		}
	}
	return false
}

// isSetUp reports whether an assignment gives a container its first value: in a
// constructor, in the package's initialization, when the manager is set up, or
// because it was nil.
func (i *Retentions) isSetUp(h *holder, store *ssa.Store) bool {
	fn := store.Parent()
	if h.local != nil {
		return fn == h.local.Parent() && store.Block() == h.local.Block()
	}
	if calls.IsOwn(store.Addr) || fn.Synthetic == "package initializer" || fn.Parent() == nil && fn.Name() == "init" {
		return true
	}
	if slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return kubeapi.HasMethod(p.Type(), "GetFieldIndexer") }) {
		return true // a manager
	}
	// if c.pods == nil { c.pods = make(…) }
	block := store.Block()
	if len(block.Preds) != 1 {
		return false
	}
	branch, ok := blocks.Last(block.Preds[0]).(*ssa.If)
	if !ok || blocks.Side(branch, true) != block {
		return false
	}
	op, ok := branch.Cond.(*ssa.BinOp)
	if !ok || op.Op != token.EQL {
		return false
	}
	load, ok := op.X.(*ssa.UnOp)
	return ok && i.sameHolder(h, load.X)
}

package retained

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/cacheobjects"
)

// insert decides whether an object of a cache is put into a container to stay.
func (i *Retentions) insert(h *holder, in *insert) {
	way := Way{
		Container: i.nameOf(h, in), Func: syntax.FuncName(in.instr.Parent()), Place: syntax.Place(i.pass.Fset, in.instr.Pos()),
		Slice: h.shape == list, Single: h.shape == single || in.fixed, Removed: h.removed,
	}
	if h.local != nil && !i.isShared(h.local, in.instr.Parent(), in.way) {
		return
	}
	for _, v := range in.values {
		i.climb(search{way: way, instr: in.instr, value: v, owner: in.owner, climbed: make(map[[2]ssa.Value]bool)}, 0)
	}
}

// isShared reports whether a function that puts something into a local variable is, or
// stands in, a handler that has captured the variable, or such a one hands it over.
func (i *Retentions) isShared(local *ssa.Alloc, fn *ssa.Function, way []ssa.CallInstruction) bool {
	for ; fn != nil && fn != local.Parent(); fn = fn.Parent() {
		if i.isHandler(fn) {
			return true
		}
	}
	last := len(way) - 1
	return last >= 0 && i.isShared(local, way[last].Parent(), way[:last])
}

// search follows a value that is kept, and the owner of where it is kept, to the
// callers.
type search struct {
	way    Way
	instr  ssa.Instruction
	helper string
	value  ssa.Value
	owner  ssa.Value // nil if it lasts
	calls  []ssa.CallInstruction
	// climbed has the values and owners from which callers were asked already:
	// by how many ways one gets there makes no difference.
	climbed map[[2]ssa.Value]bool
}

const maxCalls = 4

func (i *Retentions) climb(s search, depth int) {
	at := [2]ssa.Value{s.value, s.owner}
	if depth > maxCalls || i.found[s.instr] || s.climbed[at] {
		return
	}
	s.climbed[at] = true
	lasts := s.owner == nil || i.isLasting(s.owner)
	if lasts {
		if o, isCopy, ok := i.cachedObject(s.value); ok {
			i.found[s.instr] = true
			i.Kept = append(i.Kept, Kept{
				Instr: s.instr, Origin: o, OriginFn: s.value.Parent(), Way: s.way, Helper: s.helper, Copy: isCopy, Calls: slices.Clone(s.calls),
			})
			return
		}
	}
	var owner *ssa.Parameter
	if !lasts {
		if owner = i.parameterOf(s.owner); owner == nil {
			return
		}
	}
	for _, p := range i.parameters(s.value) {
		fn := p.Parent()
		if owner != nil && owner.Parent() != fn {
			continue
		}
		i.noteFact(fn, p, owner, s.way)
		for _, call := range i.graph.Callers(fn) {
			next := s
			next.calls = append(slices.Clone(s.calls), call)
			if next.value = calls.ArgumentOf(call, p); next.value == nil {
				continue
			}
			next.owner = nil
			if owner != nil {
				if next.owner = calls.ArgumentOf(call, owner); next.owner == nil {
					continue
				}
			}
			i.climb(next, depth+1)
		}
	}
}

// cachedObject is where a value that leads to an object of a cache, or is the
// copy of one, comes from.
func (i *Retentions) cachedObject(v ssa.Value) (from cacheobjects.Origin, isCopy, ok bool) {
	if call, ok := kubeapi.Unboxed(v).(*ssa.Call); ok {
		if fn := kubeapi.Callee(call.Common()); fn != nil && kubeapi.IsDeepCopy(fn) {
			if recv, _ := kubeapi.Args(call.Common()); recv != nil {
				v, isCopy = recv, true
			}
		}
	}
	origins := i.objects.Of(v)
	if len(origins) == 0 {
		return cacheobjects.Origin{}, false, false
	}
	at := slices.IndexFunc(origins, func(o cacheobjects.Origin) bool { return !o.Doubtful })
	return origins[max(at, 0)], isCopy, true
}

// parameters are those of which a value is one, or which it has.
func (i *Retentions) parameters(v ssa.Value) []*ssa.Parameter {
	of := values.Relation{Calls: i.graph, Steps: values.Local, More: func(v ssa.Value) []ssa.Value {
		switch v := v.(type) {
		case *ssa.UnOp:
			switch v.X.(type) {
			case *ssa.Alloc, *ssa.FreeVar:
				return []ssa.Value{v.X}
			}
		case *ssa.FieldAddr:
			return []ssa.Value{v.X}
		case *ssa.Alloc:
			return partsOf(v)
		}
		return nil
	}}
	var found []*ssa.Parameter
	for end := range of.Ends(v) {
		if p, ok := end.(*ssa.Parameter); ok {
			found = append(found, p)
		}
	}
	return found
}

// partsOf returns what is stored into a variable, and into its fields.
func partsOf(local *ssa.Alloc) []ssa.Value {
	parts := calls.StoredInto(local)
	for field := range blocks.UsesOf[*ssa.FieldAddr](local) {
		parts = append(parts, calls.StoredInto(field)...)
	}
	return parts
}

// parameterOf is the parameter by whose fields an owner is reached.
func (i *Retentions) parameterOf(v ssa.Value) *ssa.Parameter {
	of := values.Relation{Calls: i.graph, Steps: values.Held | values.Selected, Until: i.isReassigned, More: values.StoredOnce}
	p, _ := of.End(v).(*ssa.Parameter)
	return p
}

// isReassigned reports whether a value is loaded from a field that is assigned also
// elsewhere than where the struct is made.
func (i *Retentions) isReassigned(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	addr, ok := load.X.(*ssa.FieldAddr)
	return ok && !i.staysSame(addr)
}

// noteFact notes that a function keeps a parameter, for other packages. The
// wrapper that a method value is has the object of its method, but neither its
// parameters nor, maybe, its package.
func (i *Retentions) noteFact(fn *ssa.Function, p, owner *ssa.Parameter, way Way) {
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() != i.pass.Pkg || fn.Prog.FuncValue(obj) != fn || !mayBeObject(p.Type()) {
		return
	}
	entry := KeptParam{Param: slices.Index(fn.Params, p), Owner: -1, Way: way}
	if owner != nil {
		entry.Owner = slices.Index(fn.Params, owner)
	}
	if fact := i.keeps.Note(fn); !slices.Contains(fact.Params, entry) && len(fact.Params) < maxFacts {
		fact.Params = append(fact.Params, entry)
	}
}

const maxFacts = 4

// mayBeObject reports whether a parameter of type t may be an API object or a
// part of one.
func mayBeObject(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		_, isStruct := u.Elem().Underlying().(*types.Struct)
		return isStruct
	case *types.Interface, *types.Map, *types.Slice:
		return true
	}
	return false
}

// handedToOthers finds objects that are handed to functions of other packages
// which keep them.
func (i *Retentions) handedToOthers() {
	i.graph.Each(func(instr ssa.Instruction) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return
		}
		fact := i.keeps.Elsewhere(call)
		if fact == nil {
			return
		}
		ops := kubeapi.Operands(call.Common())
		for _, kept := range fact.Params {
			if kept.Param >= len(ops) || kept.Owner >= len(ops) {
				continue
			}
			s := search{way: kept.Way, instr: call, helper: kubeapi.Callee(call.Common()).Name(), value: ops[kept.Param], climbed: make(map[[2]ssa.Value]bool)}
			if kept.Owner >= 0 {
				s.owner = ops[kept.Owner]
			}
			i.climb(s, 0)
		}
	})
}

// nameOf names a container as the source has it.
func (i *Retentions) nameOf(h *holder, in *insert) string {
	if h.local == nil && h.obj != nil && h.obj.IsField() {
		if of := values.Written(in.owner); of != "" {
			return of + "." + h.name
		}
	}
	return h.name
}

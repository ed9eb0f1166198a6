package retained

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/cacheobjects"
)

// insert decides whether an object of a cache is put into a container to stay.
func (i *Retentions) insert(h *holder, in *insert) {
	way := Way{
		Container: i.nameOf(h, in), Func: syntax.FuncName(in.instr.Parent()), Place: i.place(in.instr.Pos()),
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
	for _, p := range i.parameters(s.value, make(map[ssa.Value]bool)) {
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
	if at < 0 {
		at = 0
	}
	return origins[at], isCopy, true
}

// parameters are those of which a value is one, or which it has.
func (i *Retentions) parameters(v ssa.Value, visited map[ssa.Value]bool) []*ssa.Parameter {
	if visited[v] {
		return nil
	}
	visited[v] = true
	all := func(vs []ssa.Value) []*ssa.Parameter {
		var found []*ssa.Parameter
		for _, v := range vs {
			for _, p := range i.parameters(v, visited) {
				if !slices.Contains(found, p) {
					found = append(found, p)
				}
			}
		}
		return found
	}
	if x := kubeapi.Converted(v); x != nil {
		return i.parameters(x, visited)
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return []*ssa.Parameter{v}
	case *ssa.Phi:
		return all(v.Edges)
	case *ssa.FreeVar:
		return all([]ssa.Value{i.graph.Binding(v)})
	case *ssa.Alloc:
		vs := calls.StoredInto(v)
		if v.Referrers() != nil {
			for _, ref := range *v.Referrers() {
				if field, ok := ref.(*ssa.FieldAddr); ok {
					vs = append(vs, calls.StoredInto(field)...)
				}
			}
		}
		return all(vs)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			switch v.X.(type) {
			case *ssa.Alloc, *ssa.FreeVar:
				return i.parameters(v.X, visited)
			}
		}
	case *ssa.FieldAddr:
		return i.parameters(v.X, visited)
	}
	return nil
}

// parameterOf is the parameter by whose fields an owner is reached.
func (i *Retentions) parameterOf(v ssa.Value) *ssa.Parameter {
	for range maxDepth {
		switch x := v.(type) {
		case *ssa.Parameter:
			return x
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.UnOp:
			if addr, ok := x.X.(*ssa.FieldAddr); ok && !i.staysSame(addr) {
				return nil
			}
			v = x.X
		case *ssa.FreeVar:
			v = i.graph.Binding(x)
		case *ssa.Alloc:
			stored := calls.StoredInto(x)
			if len(stored) != 1 {
				return nil
			}
			v = stored[0]
		default:
			return nil
		}
	}
	return nil
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
	if h.local != nil || h.obj == nil || !h.obj.IsField() {
		return h.name
	}
	if of := ownerName(in.owner, 0); of != "" {
		return of + "." + h.name
	}
	return h.name
}

func ownerName(v ssa.Value, depth int) string {
	if depth > maxDepth {
		return ""
	}
	selector := func(x ssa.Value, f *types.Var) string {
		of := ownerName(x, depth+1)
		if f == nil || of == "" {
			return of
		}
		return of + "." + f.Name()
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.FreeVar:
		return v.Name()
	case *ssa.Global:
		return v.Name()
	case *ssa.Alloc:
		if v.Comment != "complit" && v.Comment != "new" {
			return v.Comment
		}
	case *ssa.UnOp:
		return ownerName(v.X, depth+1)
	case *ssa.FieldAddr:
		return selector(v.X, calls.FieldOf(v.X.Type(), v.Field))
	case *ssa.Field:
		return selector(v.X, calls.FieldOf(v.X.Type(), v.Field))
	}
	return ""
}
